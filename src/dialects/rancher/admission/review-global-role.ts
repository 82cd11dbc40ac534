import { at, notFound, invalid, type FieldError } from '../../../api/field-error.ts';
import type { PolicyRule } from '../../../api/kubernetes.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { everything } from '../access/builtin-rule.ts';
import { permitsEverything } from '../access/rule-questions.ts';
import { GlobalRole, RoleTemplate } from '../kinds/role.ts';
import { managementGroup } from '../names.ts';
import { faulty, notAllowed, refuseEscalation } from './answers.ts';
import { changedFields } from './changed-fields.ts';
import { builtinFaults } from './check-builtin.ts';
import { ruleFaults } from './check-rules.ts';
import { lackingOnHub, mayManage } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';
import { lackingInMembers, rulesOfTemplate } from './scope-rights.ts';

/** Says nothing about what anybody may do. */
const harmless = ['displayName', 'description'];

export async function reviewGlobalRole(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  const old = request.oldObject as GlobalRole | undefined;
  if (request.operation === 'DELETE') return old!.builtin ? notAllowed(GlobalRole, request, 'built-in roles cannot be deleted') : {};
  const next = request.object as GlobalRole;
  const faults = [...builtinFaults(old, next, ['newUserDefault']), ...fieldFaults(next)];
  if (faults.length > 0) return faulty(request, faults);
  if (old && changedFields(old, next).every(field => harmless.includes(field))) return {};
  const inheritance = await inheritanceFaults(old, next, world);
  if (inheritance.length > 0) return faulty(request, inheritance);
  if (await mayManage(world, 'escalate', GlobalRole.resource, next.metadata.name ?? '')) return {};
  return refuseEscalation(GlobalRole, request, await lackingOfGlobalRole(next, world));
}

/** What the caller would have to hold, and does not, to be allowed to give this role away. */
export async function lackingOfGlobalRole(role: GlobalRole, world: RancherWorld): Promise<PolicyRule[]> {
  const { rules = [], namespacedRules = {}, inheritedClusterRoles = [], inheritedNamespacedRules = {} } = role;
  const { resourceRules = [], workspaceVerbs = [] } = role.inheritedFleetWorkspacePermissions ?? {};
  const workspaces =
    workspaceVerbs.length === 0 ? [] : [{ apiGroups: [managementGroup], resources: ['fleetworkspaces'], verbs: workspaceVerbs }];
  // Who may do everything on the hub becomes an administrator of all members.
  const onHub = [...rules, ...(permitsEverything(rules) ? everything : []), ...resourceRules, ...workspaces];
  const lacking = await lackingOnHub(onHub, '', world);
  for (const [namespace, some] of Object.entries(namespacedRules)) lacking.push(...(await lackingOnHub(some, namespace, world)));
  for (const name of inheritedClusterRoles)
    lacking.push(...(await lackingInMembers((await rulesOfTemplate(name, world)) ?? everything, world)));
  for (const [namespace, some] of Object.entries(inheritedNamespacedRules))
    lacking.push(...(await lackingInMembers(some, world, namespace)));
  return lacking;
}

function fieldFaults(role: GlobalRole): FieldError[] {
  const { rules = [], namespacedRules = {}, inheritedNamespacedRules = {} } = role;
  const { resourceRules = [] } = role.inheritedFleetWorkspacePermissions ?? {};
  const ofNamespaces = (field: string, byNamespace: Readonly<Record<string, readonly PolicyRule[]>>) =>
    Object.entries(byNamespace).flatMap(([namespace, some]) => ruleFaults(some, at.key(field, namespace)));
  return [
    ...ruleFaults(rules, 'rules'),
    ...ofNamespaces('namespacedRules', namespacedRules),
    ...ofNamespaces('inheritedNamespacedRules', inheritedNamespacedRules),
    ...ruleFaults(resourceRules, 'inheritedFleetWorkspacePermissions.resourceRules'),
  ];
}

async function inheritanceFaults(old: GlobalRole | undefined, next: GlobalRole, world: RancherWorld): Promise<FieldError[]> {
  const faults: FieldError[] = [];
  for (const [i, name] of (next.inheritedClusterRoles ?? []).entries()) {
    if (old?.inheritedClusterRoles?.includes(name)) continue;
    const field = at.index('inheritedClusterRoles', i);
    const template = await world.get(RoleTemplate, { name });
    if (!template) faults.push(notFound(field, name));
    else if (template.context !== 'cluster') faults.push(invalid(field, name, 'the context of the role must be "cluster"'));
    else if (template.locked) faults.push(invalid(field, name, 'the role is locked'));
  }
  return faults;
}
