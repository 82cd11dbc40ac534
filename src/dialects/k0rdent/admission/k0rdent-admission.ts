import type { AdmissionReviewer } from '../../../core/admission/admission-review.ts';
import { everyOperation, reviewerOf, writes, type Reviews } from '../../../core/admission/reviewed-kinds.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { AccessManagement, Management, Region, Release } from '../kinds/management.ts';
import { ClusterTemplate, ClusterTemplateChain, ProviderTemplate, ServiceTemplate, ServiceTemplateChain } from '../kinds/template.ts';
import { admissionWorld, type AdmissionDeps, type AdmissionWorld } from './admission-world.ts';
import { defaultAccessManagement, reviewAccessManagement } from './review-access-management.ts';
import { defaultClusterDeployment, reviewClusterDeployment } from './review-cluster-deployment.ts';
import { reviewManagement, reviewReleaseDeletion } from './review-management.ts';
import { reviewRegion } from './review-region.ts';
import { reviewChain, reviewProviderTemplateDeletion, reviewTemplateDeletion } from './review-templates.ts';

/** Labels, annotations and finalizers are nobody's business. Nor is what is on its way out. */
const specChanges = 'request.operation != "UPDATE" || (object.spec != oldObject.spec && !has(object.metadata.deletionTimestamp))';

export const k0rdentReviews: Reviews<AdmissionWorld> = {
  mutations: [
    {
      kind: ClusterDeployment,
      operations: writes,
      when: `!has(object.spec.config) && (${specChanges})`,
      review: defaultClusterDeployment,
    },
    { kind: AccessManagement, operations: writes, when: specChanges, review: defaultAccessManagement },
  ],
  validations: [
    { kind: ClusterDeployment, operations: everyOperation, when: specChanges, review: reviewClusterDeployment },
    { kind: ServiceTemplate, operations: ['DELETE'], review: reviewTemplateDeletion },
    { kind: ClusterTemplate, operations: ['DELETE'], review: reviewTemplateDeletion },
    { kind: ProviderTemplate, operations: ['DELETE'], review: reviewProviderTemplateDeletion },
    { kind: ServiceTemplateChain, operations: ['CREATE'], review: reviewChain },
    { kind: ClusterTemplateChain, operations: ['CREATE'], review: reviewChain },
    { kind: AccessManagement, operations: everyOperation, when: specChanges, review: reviewAccessManagement },
    { kind: Management, operations: everyOperation, when: specChanges, review: reviewManagement },
    { kind: Region, operations: everyOperation, when: specChanges, review: reviewRegion },
    { kind: Release, operations: ['DELETE'], review: reviewReleaseDeletion },
  ],
};

/** Says what k0rdent's webhooks say: section "Admission" of its specification. */
export function k0rdentAdmission(deps: AdmissionDeps): AdmissionReviewer {
  return reviewerOf(k0rdentReviews, (_request, signal) => admissionWorld(deps, signal));
}
