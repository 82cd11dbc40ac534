import { Namespace } from '../../../api/builtin-kinds.ts';
import type { AdmissionReviewer } from '../../../core/admission/admission-review.ts';
import { everyOperation, reviewerOf, writes, type ReviewedKind, type Reviews } from '../../../core/admission/reviewed-kinds.ts';
import { ClusterRegistrationToken, ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import { Project } from '../kinds/project.ts';
import { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding, RoleTemplate } from '../kinds/role.ts';
import { Setting } from '../kinds/setting.ts';
import { Token, User, UserAttribute } from '../kinds/user.ts';
import { noteCreator } from './creator.ts';
import { nameBinding } from './name-binding.ts';
import { rancherWorld, type RancherAdmissionDeps, type RancherWorld } from './rancher-world.ts';
import { reviewManagementCluster, reviewProvisioningCluster } from './review-cluster.ts';
import { reviewGlobalRole } from './review-global-role.ts';
import { reviewGlobalRoleBinding } from './review-global-role-binding.ts';
import { reviewNamespaceDeletion, standingNamespaces } from './review-namespace.ts';
import { reviewProject } from './review-project.ts';
import { nameClusterOfToken, reviewRegistrationToken } from './review-registration-token.ts';
import { reviewRoleTemplate } from './review-role-template.ts';
import { reviewSetting } from './review-setting.ts';
import { reviewClusterRoleTemplateBinding, reviewProjectRoleTemplateBinding } from './review-template-binding.ts';
import { reviewToken } from './review-token.ts';
import { reviewUser } from './review-user.ts';
import { reviewUserAttribute } from './review-user-attribute.ts';

const create = ['CREATE'] as const;
const isUnnamed = '!has(object.metadata.name) || object.metadata.name == ""';

const named = (kind: ReviewedKind<RancherWorld>['kind']): ReviewedKind<RancherWorld> => ({
  kind,
  operations: create,
  when: isUnnamed,
  review: nameBinding,
});

export const rancherReviews: Reviews<RancherWorld> = {
  mutations: [
    named(GlobalRoleBinding),
    named(ClusterRoleTemplateBinding),
    named(ProjectRoleTemplateBinding),
    { kind: ManagementCluster, operations: create, review: noteCreator },
    { kind: ProvisioningCluster, operations: create, review: noteCreator },
    { kind: Project, operations: create, review: noteCreator },
    { kind: ClusterRegistrationToken, operations: create, review: nameClusterOfToken },
  ],
  validations: [
    { kind: GlobalRole, operations: everyOperation, review: reviewGlobalRole },
    { kind: GlobalRoleBinding, operations: writes, review: reviewGlobalRoleBinding },
    { kind: RoleTemplate, operations: everyOperation, review: reviewRoleTemplate },
    { kind: ClusterRoleTemplateBinding, operations: writes, review: reviewClusterRoleTemplateBinding },
    { kind: ProjectRoleTemplateBinding, operations: writes, review: reviewProjectRoleTemplateBinding },
    { kind: Project, operations: everyOperation, review: reviewProject },
    { kind: ManagementCluster, operations: everyOperation, review: reviewManagementCluster },
    { kind: ProvisioningCluster, operations: everyOperation, review: reviewProvisioningCluster },
    { kind: ClusterRegistrationToken, operations: writes, review: reviewRegistrationToken },
    { kind: Setting, operations: writes, review: reviewSetting },
    { kind: User, operations: everyOperation, review: reviewUser },
    { kind: UserAttribute, operations: writes, review: reviewUserAttribute },
    { kind: Token, operations: writes, review: reviewToken },
    {
      kind: Namespace,
      operations: ['DELETE'],
      when: `request.name in [${standingNamespaces.map(name => `"${name}"`).join(', ')}]`,
      review: reviewNamespaceDeletion,
    },
  ],
};

/** Says what Rancher's webhook says: what may be written, and what must be in it. */
export function rancherAdmission(deps: RancherAdmissionDeps): AdmissionReviewer {
  return reviewerOf(rancherReviews, ({ user }, signal) => rancherWorld(deps, user, signal));
}
