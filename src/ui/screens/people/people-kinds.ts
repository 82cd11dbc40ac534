import type { Project } from '../../../dialects/rancher/kinds/project.ts';
import type {
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  ProjectRoleTemplateBinding,
  RoleTemplate,
} from '../../../dialects/rancher/kinds/role.ts';
import type { Token, User, UserAttribute } from '../../../dialects/rancher/kinds/user.ts';
import type { Kind } from '../../data/kinds.ts';

export type {
  ClusterRoleTemplateBinding,
  GlobalRole,
  GlobalRoleBinding,
  Project,
  ProjectRoleTemplateBinding,
  RoleTemplate,
  Token,
  User,
  UserAttribute,
};

const rancher = { group: 'management.cattle.io', version: 'v3' } as const;

export const peopleKinds = {
  user: { ...rancher, kind: 'User', plural: 'users', isNamespaced: false },
  globalRole: { ...rancher, kind: 'GlobalRole', plural: 'globalroles', isNamespaced: false },
  globalRoleBinding: { ...rancher, kind: 'GlobalRoleBinding', plural: 'globalrolebindings', isNamespaced: false },
  roleTemplate: { ...rancher, kind: 'RoleTemplate', plural: 'roletemplates', isNamespaced: false },
  clusterBinding: { ...rancher, kind: 'ClusterRoleTemplateBinding', plural: 'clusterroletemplatebindings', isNamespaced: true },
  projectBinding: { ...rancher, kind: 'ProjectRoleTemplateBinding', plural: 'projectroletemplatebindings', isNamespaced: true },
  token: { ...rancher, kind: 'Token', plural: 'tokens', isNamespaced: false },
  userAttribute: { ...rancher, kind: 'UserAttribute', plural: 'userattributes', isNamespaced: false },
  project: { ...rancher, kind: 'Project', plural: 'projects', isNamespaced: true },
} as const satisfies Record<string, Kind>;

export const userTitle = (user: User | undefined, id: string): string => user?.displayName || user?.username || id;

export const userPlace = (name: string): string => `/people/users/${encodeURIComponent(name)}`;

export const projectPlace = ({ metadata }: Pick<Project, 'metadata'>): string =>
  `/people/projects/${encodeURIComponent(metadata.namespace ?? '')}/${encodeURIComponent(metadata.name ?? '')}`;

export const groupPlace = (name: string): string => `/people/groups/${encodeURIComponent(name)}`;

/** Who is given a role: a person, or a group as its provider names it. */
export type Holder = { readonly userName: string } | { readonly groupPrincipalName: string };

export interface Binding {
  readonly userName?: string;
  readonly groupName?: string;
  readonly groupPrincipalName?: string;
  readonly userPrincipalName?: string;
}

export const groupOf = ({ groupPrincipalName, groupName }: Binding): string | undefined => groupPrincipalName || groupName || undefined;

/** Which bindings are theirs. */
export const isOf = (holder: Holder) => (binding: Binding) =>
  'userName' in holder ? binding.userName === holder.userName : groupOf(binding) === holder.groupPrincipalName;

/** The groups that providers say somebody is in. */
export const groupsOf = (attribute: UserAttribute | undefined): readonly string[] => [
  ...new Set(
    Object.values(attribute?.groupPrincipals ?? {})
      .flatMap(({ items = [] }) => items.map(({ metadata }) => metadata?.name ?? ''))
      .filter(Boolean),
  ),
];

/** Whom a binding is for, as people know them. */
export function holderOf(binding: Binding, users: ReadonlyMap<string, User>): string {
  if (binding.userName) return userTitle(users.get(binding.userName), binding.userName);
  return groupOf(binding) ?? binding.userPrincipalName ?? 'nobody';
}
