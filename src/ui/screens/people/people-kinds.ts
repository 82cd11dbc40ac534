import type { Project } from '../../../dialects/rancher/kinds/project.ts';
import type {
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  ProjectRoleTemplateBinding,
  RoleTemplate,
} from '../../../dialects/rancher/kinds/role.ts';
import type { User } from '../../../dialects/rancher/kinds/user.ts';
import type { Kind } from '../../data/kinds.ts';

export type { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, Project, ProjectRoleTemplateBinding, RoleTemplate, User };

const rancher = { group: 'management.cattle.io', version: 'v3' } as const;

export const peopleKinds = {
  user: { ...rancher, kind: 'User', plural: 'users', isNamespaced: false },
  globalRole: { ...rancher, kind: 'GlobalRole', plural: 'globalroles', isNamespaced: false },
  globalRoleBinding: { ...rancher, kind: 'GlobalRoleBinding', plural: 'globalrolebindings', isNamespaced: false },
  roleTemplate: { ...rancher, kind: 'RoleTemplate', plural: 'roletemplates', isNamespaced: false },
  clusterBinding: { ...rancher, kind: 'ClusterRoleTemplateBinding', plural: 'clusterroletemplatebindings', isNamespaced: true },
  projectBinding: { ...rancher, kind: 'ProjectRoleTemplateBinding', plural: 'projectroletemplatebindings', isNamespaced: true },
  project: { ...rancher, kind: 'Project', plural: 'projects', isNamespaced: true },
} as const satisfies Record<string, Kind>;

export const userTitle = (user: User | undefined, id: string): string => user?.displayName || user?.username || id;

export const userPlace = (name: string): string => `/people/users/${encodeURIComponent(name)}`;

export const projectPlace = ({ metadata }: Pick<Project, 'metadata'>): string =>
  `/people/projects/${encodeURIComponent(metadata.namespace ?? '')}/${encodeURIComponent(metadata.name ?? '')}`;

/** Whom a binding is for, as people know them. */
export function holderOf(
  { userName, groupPrincipalName, userPrincipalName }: { userName?: string; groupPrincipalName?: string; userPrincipalName?: string },
  users: ReadonlyMap<string, User>,
): string {
  if (userName) return userTitle(users.get(userName), userName);
  return groupPrincipalName ?? userPrincipalName ?? 'nobody';
}
