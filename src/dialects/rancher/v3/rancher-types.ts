import type { Informer } from '../../../runtime/informer.ts';
import type { Settings } from '../clusters/settings.ts';
import type { TokenDesk } from '../identity/token-desk.ts';
import type { UserDesk } from '../identity/user-desk.ts';
import type { ManagementCluster } from '../kinds/cluster.ts';
import type { MemberApis } from './member/member-apis.ts';
import { typeTable, type TypeTable } from './norman-type.ts';
import { actionTypes } from './types/action-types.ts';
import { authConfigType } from './types/auth-config.ts';
import { clusterBindingType, globalRoleBindingType, projectBindingType } from './types/binding.ts';
import { clusterType } from './types/cluster.ts';
import { nodeType } from './types/node.ts';
import { principalType, type PrincipalObjects } from './types/principal.ts';
import { projectType } from './types/project.ts';
import { registrationTokenType } from './types/registration-token.ts';
import { globalRoleType, roleTemplateType } from './types/role.ts';
import { featureType, settingType } from './types/setting.ts';
import { tokenType } from './types/token.ts';
import { userType } from './types/user.ts';

export interface RancherTypesDeps {
  readonly settings: Settings;
  readonly managementClusters: Informer<ManagementCluster>;
  readonly tokens: TokenDesk;
  readonly users: UserDesk;
  readonly people: PrincipalObjects;
  readonly members: MemberApis;
}

/** The types of `/v3`. */
export function rancherTypes(deps: RancherTypesDeps): TypeTable {
  const clusters = clusterType(deps);
  const projects = projectType(clusters);
  return typeTable([
    clusters,
    projects,
    registrationTokenType(clusters),
    nodeType(clusters, deps.members),
    globalRoleType,
    globalRoleBindingType,
    roleTemplateType,
    clusterBindingType(clusters),
    projectBindingType(projects),
    userType(deps.users),
    principalType(deps.people),
    tokenType(deps),
    settingType(deps.settings),
    featureType,
    authConfigType,
    ...actionTypes,
  ]);
}
