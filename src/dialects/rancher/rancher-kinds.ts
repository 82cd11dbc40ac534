import type { DeclaredKind } from '../../api/define-kind.ts';
import { ClusterRegistrationToken, ManagementCluster, ProvisioningCluster } from './kinds/cluster.ts';
import { Project } from './kinds/project.ts';
import { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding, RoleTemplate } from './kinds/role.ts';
import { Feature, Setting } from './kinds/setting.ts';
import { AuthConfig, SamlToken, Token, User, UserAttribute } from './kinds/user.ts';

/** Every kind that users of Rancher know. */
export const rancherKinds: readonly DeclaredKind[] = [
  ManagementCluster,
  ProvisioningCluster,
  ClusterRegistrationToken,
  Setting,
  Feature,
  GlobalRole,
  GlobalRoleBinding,
  RoleTemplate,
  ClusterRoleTemplateBinding,
  Project,
  ProjectRoleTemplateBinding,
  User,
  UserAttribute,
  Token,
  SamlToken,
  AuthConfig,
];
