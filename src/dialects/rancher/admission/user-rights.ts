import type { PolicyRule } from '../../../api/kubernetes.ts';
import type { UserInfo } from '../../../auth/user.ts';
import { splitProjectName } from '../access/access-objects.ts';
import { everything } from '../access/builtin-rule.ts';
import { heldGlobalRoles, isHolder, type Person } from '../access/effective-rules.ts';
import { signedInGroups } from '../identity/identity-names.ts';
import { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding } from '../kinds/role.ts';
import { User, UserAttribute } from '../kinds/user.ts';
import { holdsEverything } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';
import { lackingOfGlobalRole } from './review-global-role.ts';
import { lackingInScope, rulesOfTemplate } from './scope-rights.ts';

/** What a user may do and the caller may not. The user need not be there: bindings may name him already, or still. */
export async function lackingOfUser(name: string, world: RancherWorld): Promise<PolicyRule[]> {
  if (await holdsEverything(world)) return [];
  const person = await personNamed(name, world);
  const target: UserInfo = { name, groups: [...person.groups, ...signedInGroups] };
  if (await holdsEverything({ ...world, caller: target })) return everything;
  const lacking: PolicyRule[] = [];
  const facts = { globalRoles: await world.list(GlobalRole), globalRoleBindings: await world.list(GlobalRoleBinding) };
  for (const role of heldGlobalRoles(person, facts)) lacking.push(...(await lackingOfGlobalRole(role, world)));
  const bindings = [
    ...(await world.list(ClusterRoleTemplateBinding)).map(one => ({ one, scope: { cluster: one.clusterName } })),
    ...(await world.list(ProjectRoleTemplateBinding)).map(one => ({ one, scope: splitProjectName(one.projectName) })),
  ];
  for (const { one, scope } of bindings.filter(({ one }) => isHolder(person, one)))
    lacking.push(...(await lackingInScope((await rulesOfTemplate(one.roleTemplateName, world)) ?? everything, scope, world)));
  return lacking;
}

async function personNamed(name: string, world: RancherWorld): Promise<Person> {
  const user = await world.get(User, { name });
  const attributes = await world.get(UserAttribute, { name });
  const groups = Object.values(attributes?.groupPrincipals ?? {}).flatMap(({ items = [] }) => items.map(one => one.metadata?.name ?? ''));
  return { name, groups: groups.filter(one => one !== ''), principals: user?.principalIds ?? [] };
}
