import { ClusterRole } from '../../../api/builtin-kinds.ts';
import type { PolicyRule } from '../../../api/kubernetes.ts';
import { uncoveredRules } from '../../../auth/policy-rule.ts';
import {
  effectiveRules,
  projectNamespaces,
  rulesInAllMembers,
  templateRules,
  type AccessFacts,
  type Person,
  type Scope,
} from '../access/effective-rules.ts';
import { withInherited } from '../access/inherited-templates.ts';
import { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding, RoleTemplate } from '../kinds/role.ts';
import { User } from '../kinds/user.ts';
import { localId } from '../names.ts';
import { holdsEverything, lackingOnHub } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';

/** The parts of rules that the caller does not hold in a cluster or a project. */
export async function lackingInScope(rules: readonly PolicyRule[], scope: Scope, world: RancherWorld): Promise<PolicyRule[]> {
  if (rules.length === 0 || (await holdsEverything(world))) return [];
  const held = effectiveRules(await personOf(world), scope, await accessFacts(world, scope));
  const lacking = uncoveredRules(held, rules);
  return scope.cluster === localId ? lackingOnHub(lacking, '', world) : lacking;
}

/** The parts of rules that the caller does not hold in every member, or in one namespace of each. */
export async function lackingInMembers(rules: readonly PolicyRule[], world: RancherWorld, namespace?: string): Promise<PolicyRule[]> {
  if (rules.length === 0 || (await holdsEverything(world))) return [];
  return uncoveredRules(rulesInAllMembers(await personOf(world), await accessFacts(world), namespace), rules);
}

/** The parts of rules that the caller does not hold in some cluster: a member, or the hub itself. */
export async function lackingSomewhere(rules: readonly PolicyRule[], world: RancherWorld): Promise<PolicyRule[]> {
  const lacking = await lackingInMembers(rules, world);
  return lacking.length > 0 ? lacking : lackingOnHub(rules, '', world);
}

/** What a RoleTemplate permits. `changed` stands for the stored one of its name. Undefined when that cannot be known. */
export async function rulesOfTemplate(name: string, world: RancherWorld, changed?: RoleTemplate): Promise<PolicyRule[] | undefined> {
  const find = await templateFinder(world, changed);
  const external = withInherited(name, find).filter(one => one.external);
  return templateRules(name, find, await clusterRoleFinder(external, world));
}

export async function templateFinder(world: RancherWorld, changed?: RoleTemplate): Promise<(name: string) => RoleTemplate | undefined> {
  const byName = new Map((await world.list(RoleTemplate)).map(one => [one.metadata.name!, one]));
  if (changed) byName.set(changed.metadata.name!, changed);
  return name => byName.get(name);
}

async function accessFacts(world: RancherWorld, scope?: Scope): Promise<AccessFacts> {
  const find = await templateFinder(world);
  const external = (await world.list(RoleTemplate)).filter(one => one.external);
  const clusterRole = await clusterRoleFinder(external, world);
  const projectLists = (scope?.project === undefined ? [] : projectNamespaces(scope.cluster, scope.project)).map(namespace =>
    world.list(ProjectRoleTemplateBinding, namespace),
  );
  return {
    globalRoles: await world.list(GlobalRole),
    globalRoleBindings: await world.list(GlobalRoleBinding),
    clusterBindings: scope ? await world.list(ClusterRoleTemplateBinding, scope.cluster) : [],
    projectBindings: (await Promise.all(projectLists)).flat(),
    rulesOf: name => templateRules(name, find, clusterRole) ?? [],
  };
}

async function clusterRoleFinder(external: readonly RoleTemplate[], world: RancherWorld) {
  const names = external.filter(({ externalRules = [] }) => externalRules.length === 0).map(({ metadata }) => metadata.name!);
  const roles = await Promise.all(names.map(async name => [name, await world.get(ClusterRole, { name })] as const));
  const rules = new Map(roles.map(([name, role]) => [name, role && (role.rules ?? [])]));
  return (name: string): readonly PolicyRule[] | undefined => rules.get(name);
}

async function personOf({ caller, get }: RancherWorld): Promise<Person> {
  const user = await get(User, { name: caller.name });
  return { name: caller.name, groups: caller.groups, principals: user?.principalIds ?? [] };
}
