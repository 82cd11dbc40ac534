import type { KubeObject } from '../../../api/object.ts';
import type { GlobalRole, GlobalRoleBinding } from '../kinds/role.ts';
import { managementGroup, rancherNamespaces } from '../names.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding, type PolicyRule, type Subject } from './rbac-objects.ts';

const roleName = (name: string): string => `cattle-globalrole-${name}`;
const bindingName = (name: string): string => `cattle-globalrolebinding-${name}`;

/** What a GlobalRole is on the hub. */
export function compileGlobalRole(globalRole: GlobalRole): KubeObject[] {
  const name = roleName(globalRole.metadata.name!);
  return [
    clusterRole(name, [...(globalRole.rules ?? []), ...workspaceRules(globalRole)]),
    ...Object.entries(namespacedRules(globalRole)).map(([namespace, rules]) => role(namespace, name, rules)),
  ];
}

/** What a GlobalRoleBinding is on the hub. */
export function compileGlobalRoleBinding(binding: GlobalRoleBinding, globalRole: GlobalRole, subject: Subject): KubeObject[] {
  const name = bindingName(binding.metadata.name!);
  const bound = roleName(globalRole.metadata.name!);
  return [
    clusterRoleBinding(name, [subject], bound),
    ...Object.keys(namespacedRules(globalRole)).map(namespace => {
      const made = roleBinding(namespace, name, [subject]);
      return { ...made, roleRef: { ...made.roleRef, name: bound } };
    }),
  ];
}

function namespacedRules({ namespacedRules = {}, inheritedFleetWorkspacePermissions }: GlobalRole): Record<string, PolicyRule[]> {
  const ofWorkspace = inheritedFleetWorkspacePermissions?.resourceRules ?? [];
  if (ofWorkspace.length === 0) return namespacedRules;
  const { fleetDefault } = rancherNamespaces;
  return { ...namespacedRules, [fleetDefault]: [...(namespacedRules[fleetDefault] ?? []), ...ofWorkspace] };
}

function workspaceRules({ inheritedFleetWorkspacePermissions }: GlobalRole): PolicyRule[] {
  const verbs = inheritedFleetWorkspacePermissions?.workspaceVerbs ?? [];
  if (verbs.length === 0) return [];
  return [{ apiGroups: [managementGroup], resources: ['fleetworkspaces'], resourceNames: [rancherNamespaces.fleetDefault], verbs }];
}
