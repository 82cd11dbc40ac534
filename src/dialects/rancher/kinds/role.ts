import { defineFlatKind, type ObjectFor } from '../../../api/define-kind.ts';
import { anyObject, flag, list, mapOf, object, oneOf, openObject, optional, text } from '../../../api/schema.ts';
import { ageColumn, management } from './group.ts';
import { policyRules } from './policy-rule.ts';

const shown = {
  displayName: optional(text('The name that people see.')),
  description: optional(text('What it is for.')),
};
const status = optional(anyObject('What became of it.'));
const builtin = optional(flag('Whether it came with the hub. Such roles change little.'));

const person = {
  userName: optional(text('The user, by the name of the User object.')),
  userPrincipalName: optional(text('The user, by a principal such as `local://u-abcde`.')),
  groupPrincipalName: optional(text('The group, by a principal such as `genericoidc_group://developers`.')),
};

export const GlobalRole = defineFlatKind({
  ...management,
  kind: 'GlobalRole',
  plural: 'globalroles',
  scope: 'Cluster',
  description: 'GlobalRole is what its holders may do in the hub itself and, by inheritance, in all clusters.',
  fields: object('The role.', {
    ...shown,
    rules: optional(policyRules('What may be done in the whole hub.')),
    namespacedRules: optional(mapOf('What may be done in namespaces of the hub, by namespace.', policyRules('Rules.'))),
    inheritedClusterRoles: optional(list('RoleTemplates that its holders have in every cluster but `local`.', text('A RoleTemplate.'))),
    inheritedNamespacedRules: optional(mapOf('What may be done in namespaces of every cluster but `local`.', policyRules('Rules.'))),
    inheritedFleetWorkspacePermissions: optional(
      openObject('What may be done in all workspaces of Fleet but `fleet-local`.', {
        resourceRules: optional(policyRules('Rules for what is in the workspaces.')),
        workspaceVerbs: optional(list('What may be done to the workspaces.', text('A verb.'))),
      }),
    ),
    newUserDefault: optional(flag('Whether new users get it.')),
    builtin,
    status,
  }),
  hasStatus: true,
  columns: [
    { name: 'Display Name', type: 'string', path: '.displayName' },
    { name: 'Default', type: 'boolean', path: '.newUserDefault' },
    { name: 'Builtin', type: 'boolean', path: '.builtin' },
    ageColumn,
  ],
});
export type GlobalRole = ObjectFor<typeof GlobalRole>;

export const GlobalRoleBinding = defineFlatKind({
  ...management,
  kind: 'GlobalRoleBinding',
  plural: 'globalrolebindings',
  scope: 'Cluster',
  description: 'GlobalRoleBinding gives a GlobalRole to a user or a group.',
  fields: object('The binding.', { globalRoleName: text('The GlobalRole.'), ...person, status }),
  hasStatus: true,
  columns: [
    { name: 'Role', type: 'string', path: '.globalRoleName' },
    { name: 'User', type: 'string', path: '.userName' },
    { name: 'Group', type: 'string', path: '.groupPrincipalName' },
    ageColumn,
  ],
});
export type GlobalRoleBinding = ObjectFor<typeof GlobalRoleBinding>;

export const RoleTemplate = defineFlatKind({
  ...management,
  kind: 'RoleTemplate',
  plural: 'roletemplates',
  scope: 'Cluster',
  description: 'RoleTemplate is a role that people can have in a cluster or in a project.',
  fields: object('The role.', {
    ...shown,
    context: optional(oneOf(['cluster', 'project', ''], 'Where it can be given.')),
    rules: optional(policyRules('What may be done.')),
    roleTemplateNames: optional(list('RoleTemplates whose rules it has too.', text('A RoleTemplate.'))),
    external: optional(flag('Whether the rules are those of the ClusterRole with its name in the cluster itself.')),
    externalRules: optional(policyRules('What an external role is taken to permit, when the hub cannot see its ClusterRole.')),
    hidden: optional(flag('Whether lists for choosing leave it out.')),
    locked: optional(flag('Whether nobody may be given it any more.')),
    builtin,
    administrative: optional(flag('Whether it makes its holder an administrator of the cluster.')),
    clusterCreatorDefault: optional(flag('Whether those who create a cluster get it there.')),
    projectCreatorDefault: optional(flag('Whether those who create a project get it there.')),
    status,
  }),
  hasStatus: true,
  columns: [
    { name: 'Display Name', type: 'string', path: '.displayName' },
    { name: 'Context', type: 'string', path: '.context' },
    { name: 'Locked', type: 'boolean', path: '.locked' },
    { name: 'Builtin', type: 'boolean', path: '.builtin' },
    ageColumn,
  ],
});
export type RoleTemplate = ObjectFor<typeof RoleTemplate>;

const member = { ...person, groupName: optional(text('The group, by its name in Kubernetes.')) };
const bindingColumns = [
  { name: 'Role', type: 'string', path: '.roleTemplateName' },
  { name: 'User', type: 'string', path: '.userName' },
  { name: 'Group', type: 'string', path: '.groupPrincipalName' },
  ageColumn,
] as const;

export const ClusterRoleTemplateBinding = defineFlatKind({
  ...management,
  kind: 'ClusterRoleTemplateBinding',
  plural: 'clusterroletemplatebindings',
  shortNames: ['crtb'],
  scope: 'Namespaced',
  description:
    'ClusterRoleTemplateBinding gives a RoleTemplate to a user or a group in one cluster. Its namespace is the id of the cluster.',
  fields: object('The binding.', {
    clusterName: text('The id of the cluster.'),
    roleTemplateName: text('The RoleTemplate.'),
    ...member,
    status,
  }),
  hasStatus: true,
  columns: [{ name: 'Cluster', type: 'string', path: '.clusterName', priority: 1 }, ...bindingColumns],
});
export type ClusterRoleTemplateBinding = ObjectFor<typeof ClusterRoleTemplateBinding>;

export const ProjectRoleTemplateBinding = defineFlatKind({
  ...management,
  kind: 'ProjectRoleTemplateBinding',
  plural: 'projectroletemplatebindings',
  shortNames: ['prtb'],
  scope: 'Namespaced',
  description:
    'ProjectRoleTemplateBinding gives a RoleTemplate to a user, a group or a service account in one project. Its namespace is that of the project.',
  fields: object('The binding.', {
    projectName: text('The project: `<id of the cluster>:<name of the Project>`.'),
    roleTemplateName: text('The RoleTemplate.'),
    ...member,
    serviceAccount: optional(text('The service account: `<namespace>:<name>`.')),
    status,
  }),
  hasStatus: true,
  columns: [{ name: 'Project', type: 'string', path: '.projectName', priority: 1 }, ...bindingColumns],
});
export type ProjectRoleTemplateBinding = ObjectFor<typeof ProjectRoleTemplateBinding>;
