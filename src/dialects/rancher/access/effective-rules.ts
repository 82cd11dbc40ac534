import type { PolicyRule } from '../../../api/kubernetes.ts';
import type { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding } from '../kinds/role.ts';
import { localId } from '../names.ts';
import { accessAnnotations } from './access-names.ts';
import { splitProjectName } from './access-objects.ts';
import { backingNamespaceOf } from './backing-namespace.ts';
import { everything, may, mayManage } from './builtin-rule.ts';
import { withInherited, type FindTemplate } from './inherited-templates.ts';
import { permits, permitsEverything, withoutSecrets } from './rule-questions.ts';
import type { Holder } from './subjects.ts';

/** Somebody, by all the names that bindings may use. */
export interface Person {
  readonly name: string;
  readonly groups: readonly string[];
  /** What providers call the person. */
  readonly principals: readonly string[];
}

/** A cluster as a whole, or one project of it. */
export interface Scope {
  readonly cluster: string;
  readonly project?: string;
}

/** What rights follow from. */
export interface AccessFacts {
  readonly globalRoles: readonly GlobalRole[];
  readonly globalRoleBindings: readonly GlobalRoleBinding[];
  /** Those of the cluster, at least. */
  readonly clusterBindings: readonly ClusterRoleTemplateBinding[];
  /** Those of the project, at least. */
  readonly projectBindings: readonly ProjectRoleTemplateBinding[];
  /** Everything that a RoleTemplate permits. */
  rulesOf(template: string): readonly PolicyRule[];
}

/** What a person may do in a cluster, or in the namespaces of a project, by the roles that Rancher's bindings give. */
export function effectiveRules(person: Person, scope: Scope, facts: AccessFacts): PolicyRule[] {
  const { cluster, project } = scope;
  const held = heldGlobalRoles(person, facts);
  const ofCluster = facts.clusterBindings.filter(one => isOfCluster(one, cluster) && isHolder(person, one));
  const ofProject = facts.projectBindings.filter(
    one => project !== undefined && isOfProject(one, cluster, project) && isHolder(person, one),
  );
  const templates = [
    ...ofCluster.map(({ roleTemplateName }) => roleTemplateName),
    ...(cluster === localId ? [] : held.flatMap(({ inheritedClusterRoles = [] }) => inheritedClusterRoles)),
  ];
  return [
    ...administratorRules(held),
    ...rulesOfAll(templates, facts),
    ...ofProject.flatMap(({ roleTemplateName }) => rulesInProject(facts.rulesOf(roleTemplateName))),
  ];
}

/** What the rules of a role come to when it is given in a project: who may make namespaces there may do everything with those of the project. */
export function rulesInProject(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  return permits(rules, 'create', '', 'namespaces')
    ? [...rules, may(['*'], 'namespaces'), mayManage(['manage-namespaces'], 'projects')]
    : rules;
}

/** What a person may do in every member, those included that are not there yet. In one namespace of each when that is given. */
export function rulesInAllMembers(person: Person, facts: AccessFacts, namespace?: string): PolicyRule[] {
  const held = heldGlobalRoles(person, facts);
  return [
    ...administratorRules(held),
    ...rulesOfAll(
      held.flatMap(({ inheritedClusterRoles = [] }) => inheritedClusterRoles),
      facts,
    ),
    ...(namespace === undefined ? [] : held.flatMap(({ inheritedNamespacedRules = {} }) => inheritedNamespacedRules[namespace] ?? [])),
  ];
}

export function heldGlobalRoles(
  person: Person,
  { globalRoles, globalRoleBindings }: Pick<AccessFacts, 'globalRoles' | 'globalRoleBindings'>,
): GlobalRole[] {
  const names = new Set(globalRoleBindings.filter(one => isHolder(person, one)).map(({ globalRoleName }) => globalRoleName));
  return globalRoles.filter(({ metadata }) => names.has(metadata.name!));
}

/** Whether a binding means this person. Users come first: what a binding says of groups besides is not looked at. */
export function isHolder({ name, groups, principals }: Person, holder: Holder): boolean {
  if (holder.userName) return holder.userName === name;
  if (holder.userPrincipalName) return holder.userPrincipalName === `local://${name}` || principals.includes(holder.userPrincipalName);
  const group = holder.groupPrincipalName || holder.groupName;
  return group !== undefined && group !== '' && groups.includes(group);
}

/**
 * Everything that a RoleTemplate permits. External ones permit what they are said to, or what the ClusterRole of the same name permits as far as the hub knows it. Undefined
 * when a RoleTemplate or a ClusterRole that counts is not known: then it could be anything.
 */
export function templateRules(
  name: string,
  find: FindTemplate,
  clusterRole: (name: string) => readonly PolicyRule[] | undefined,
): PolicyRule[] | undefined {
  const templates = withInherited(name, find);
  if (templates.length === 0) return undefined;
  const hidesSecrets = templates[0]!.metadata.annotations?.[accessAnnotations.hidesSecrets] === 'true';
  const rules: PolicyRule[] = [];
  for (const { metadata, external, externalRules = [], rules: own = [], roleTemplateNames = [] } of templates) {
    if (roleTemplateNames.some(one => !find(one))) return undefined;
    // Where Secrets are hidden, the ClusterRoles of members are not used, but for one.
    if (external && hidesSecrets && metadata.name !== 'view') continue;
    const some = external ? (externalRules.length > 0 ? externalRules : clusterRole(metadata.name!)) : own;
    if (!some) return undefined;
    rules.push(...some);
  }
  return hidesSecrets ? withoutSecrets(rules) : rules;
}

const administratorRules = (held: readonly GlobalRole[]): readonly PolicyRule[] =>
  held.some(({ rules = [] }) => permitsEverything(rules)) ? everything : [];

const rulesOfAll = (templates: readonly string[], facts: AccessFacts): PolicyRule[] =>
  [...new Set(templates)].flatMap(name => facts.rulesOf(name));

const isOfCluster = ({ metadata, clusterName }: ClusterRoleTemplateBinding, cluster: string): boolean =>
  clusterName === cluster && metadata.namespace === cluster;

function isOfProject({ metadata, projectName }: ProjectRoleTemplateBinding, cluster: string, project: string): boolean {
  const named = splitProjectName(projectName);
  return named.cluster === cluster && named.project === project && projectNamespaces(cluster, project).includes(metadata.namespace ?? '');
}

/** The namespaces of the hub in which bindings of a project count. */
export const projectNamespaces = (cluster: string, project: string): string[] => [backingNamespaceOf(cluster, project), project];
