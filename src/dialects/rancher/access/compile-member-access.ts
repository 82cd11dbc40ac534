import { createHash } from 'node:crypto';
import type { KubeObject } from '../../../api/object.ts';
import { importedRoles } from '../../../core/registration/agent-names.ts';
import { printJson, sortKeys, type Json } from '../../../util/json.ts';
import { managementGroup } from '../names.ts';
import { accessAnnotations, creatorVerb } from './access-names.ts';
import type { Grant, NamespacedGrant } from './grants.ts';
import { inheritedRules, withInherited, type FindTemplate } from './inherited-templates.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding, uniqueSubjects, type PolicyRule, type Subject } from './rbac-objects.ts';
import { onlyAbout, permits, withoutSecrets } from './rule-questions.ts';

/** Kinds of the whole cluster that rules of a project may name: a RoleBinding cannot give those. */
const promotedKinds: Readonly<Record<string, readonly string[]>> = {
  '': ['persistentvolumes', 'nodes'],
  'storage.k8s.io': ['storageclasses'],
  'apiregistration.k8s.io': ['apiservices'],
  'catalog.cattle.io': ['clusterrepos'],
  'ui.cattle.io': ['navlinks'],
};
const promotedName = (template: string): string => `${template}-promoted`;
export const bindingName = (roleName: string): string => `rancher-${roleName}`;
const createNamespaces = 'create-ns';

export interface MemberRoles {
  /** ClusterRoles that holders of the RoleTemplate are bound to. */
  readonly bound: readonly string[];
  /** Those of them that are not the member's own. */
  readonly made: ReadonlyMap<string, readonly PolicyRule[]>;
}

/** ClusterRoles that Kubernetes and the hub itself have on members: a RoleTemplate of that name that is not external means nothing there. */
const reservedRoles = new Set<string>(['cluster-admin', 'admin', 'edit', 'view', ...importedRoles.roles]);

/** What a RoleTemplate is on a member. `viewRules` is what the member's own ClusterRole `view` permits. */
export function memberRoles(name: string, find: FindTemplate, viewRules: readonly PolicyRule[]): MemberRoles {
  const templates = withInherited(name, find);
  if (templates[0]?.metadata.annotations?.[accessAnnotations.hidesSecrets] === 'true' && !reservedRoles.has(name)) {
    const rules = templates.flatMap(({ metadata, external, rules = [] }) =>
      external ? (metadata.name === 'view' ? viewRules : []) : rules,
    );
    return { bound: [name], made: new Map([[name, uniqueRules(withoutSecrets(rules))]]) };
  }
  const made = templates.flatMap(({ metadata, external, rules = [] }) =>
    external || rules.length === 0 || reservedRoles.has(metadata.name!) ? [] : [[metadata.name!, rules] as const],
  );
  const external = templates.filter(template => template.external).map(({ metadata }) => metadata.name!);
  return { bound: [...made.map(([one]) => one), ...external], made: new Map(made) };
}

export interface ClusterAccessInput {
  readonly grants: readonly Grant[];
  /** Names of RoleTemplates that are given in projects of the cluster. */
  readonly projectTemplates: ReadonlySet<string>;
  readonly administrators: readonly Subject[];
  readonly inNamespaces: readonly NamespacedGrant[];
  readonly find: FindTemplate;
  readonly viewRules: readonly PolicyRule[];
}

/** The ClusterRoles of a member, and who has them everywhere on it. */
export function compileClusterAccess(input: ClusterAccessInput): KubeObject[] {
  const { grants, projectTemplates, administrators, inNamespaces, find, viewRules } = input;
  const rolesOf = (template: string) => memberRoles(template, find, viewRules);
  const templates = new Set([...grants.map(({ template }) => template), ...projectTemplates]);
  const made = new Map([...templates].flatMap(template => [...rolesOf(template).made]));
  for (const template of projectTemplates) {
    const rules = inheritedRules(template, find);
    const promoted = onlyAbout(rules, promotedKinds);
    if (promoted.length > 0) made.set(promotedName(template), promoted);
    if (canCreateNamespaces(rules)) made.set(createNamespaces, creatorRules);
  }
  const everywhere = bySubjects(grants, ({ template }) => rolesOf(template).bound);
  return [
    ...sorted(made).map(([name, rules]) => clusterRole(name, rules)),
    ...administrators.map(subject => clusterRoleBinding(`globaladmin-${shortName(subject)}`, [subject], 'cluster-admin')),
    ...everywhere.map(([name, subjects]) => clusterRoleBinding(bindingName(name), subjects, name)),
    ...inNamespaces
      .filter(({ subjects }) => subjects.length > 0)
      .flatMap(({ role: globalRole, namespace, rules, subjects }) => {
        const name = `cattle-globalrole-${globalRole}`;
        return [role(namespace, name, rules), roleBinding(namespace, name, subjects)];
      }),
  ];
}

export interface ProjectAccessInput {
  readonly project: string;
  readonly namespaces: readonly string[];
  readonly grants: readonly Grant[];
  readonly find: FindTemplate;
}

/** Who may do what in the namespaces of a project: one RoleBinding for each namespace and role, with all who have it. */
export function compileProjectAccess({ project, namespaces, grants, find }: ProjectAccessInput): KubeObject[] {
  if (grants.length === 0) return [];
  const rulesOf = new Map([...new Set(grants.map(({ template }) => template))].map(name => [name, inheritedRules(name, find)]));
  const those = (isOne: (rules: readonly PolicyRule[]) => boolean): Subject[] =>
    uniqueSubjects(grants.filter(({ template }) => isOne(rulesOf.get(template)!)).map(({ memberSubject }) => memberSubject));
  const bound = bySubjects(grants, ({ template }) => memberRoles(template, find, []).bound);
  const promoted = bySubjects(grants, ({ template }) =>
    onlyAbout(rulesOf.get(template)!, promotedKinds).length > 0 ? [promotedName(template)] : [],
  );
  const creators = those(canCreateNamespaces);
  return [
    ...[...namespaces]
      .sort()
      .flatMap(namespace => bound.map(([name, subjects]) => roleBinding(namespace, bindingName(name), subjects, name))),
    ...promoted.map(([name, subjects]) => clusterRoleBinding(`${project}-${name}`, subjects, name)),
    ...namespaceRoles(project, namespaces, { readers: those(() => true), editors: creators, hardeners: those(mayChangePodSecurity) }),
    ...(creators.length > 0 ? [clusterRoleBinding(`${project}-${createNamespaces}`, creators, createNamespaces)] : []),
  ];
}

interface NamespacePeople {
  readonly readers: readonly Subject[];
  readonly editors: readonly Subject[];
  readonly hardeners: readonly Subject[];
}

/** Namespaces themselves are of the whole cluster, so they are given by name. */
function namespaceRoles(project: string, names: readonly string[], { readers, editors, hardeners }: NamespacePeople): KubeObject[] {
  const resourceNames = [...names].sort();
  // A rule without names would be about all of them.
  const ofNamespaces = (verbs: string[]): PolicyRule[] =>
    names.length === 0 ? [] : [{ apiGroups: [''], resources: ['namespaces'], resourceNames, verbs }];
  const ofProject = (verb: string): PolicyRule => ({
    apiGroups: [managementGroup],
    resources: ['projects'],
    resourceNames: [project],
    verbs: [verb],
  });
  const given = (suffix: string, rules: readonly PolicyRule[], subjects: readonly Subject[]): KubeObject[] => {
    if (subjects.length === 0 || rules.length === 0) return [];
    const name = `${project}-${suffix}`;
    return [clusterRole(name, rules), clusterRoleBinding(name, subjects)];
  };
  return [
    ...given('namespaces-readonly', ofNamespaces(['get', 'list', 'watch']), readers),
    ...given('namespaces-edit', [...ofNamespaces(['*']), ofProject('manage-namespaces')], editors),
    ...given('namespaces-psa', [ofProject('updatepsa')], hardeners),
  ];
}

/** The marker tells the policy of the member whose namespaces must be of a project. */
const creatorRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['create'] },
  { apiGroups: [managementGroup], resources: ['projects'], verbs: [creatorVerb] },
];

const canCreateNamespaces = (rules: readonly PolicyRule[]): boolean => permits(rules, 'create', '', 'namespaces');
const mayChangePodSecurity = (rules: readonly PolicyRule[]): boolean => permits(rules, 'updatepsa', managementGroup, 'projects');

/** Each once: what is known of `view` may come from a role that was made here before. */
function uniqueRules(rules: readonly PolicyRule[]): PolicyRule[] {
  return [...new Map(rules.map(rule => [printJson(sortKeys(rule as unknown as Json)), rule])).values()];
}

/** Roles and all who have them, in the order of their names. */
function bySubjects(grants: readonly Grant[], rolesOf: (grant: Grant) => readonly string[]): [string, Subject[]][] {
  const roles = new Map<string, Subject[]>();
  const known = new Map<string, readonly string[]>();
  for (const grant of grants) {
    const names = known.get(grant.template) ?? rolesOf(grant);
    known.set(grant.template, names);
    for (const name of names) {
      const subjects = roles.get(name);
      if (subjects) subjects.push(grant.memberSubject);
      else roles.set(name, [grant.memberSubject]);
    }
  }
  return sorted(roles).map(([name, subjects]) => [name, uniqueSubjects(subjects)]);
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Names of groups may hold what names of objects may not. */
function shortName({ kind, name }: Subject): string {
  return kind === 'User' && /^[a-z0-9.-]+$/.test(name) ? name : createHash('sha256').update(`${kind}/${name}`).digest('hex').slice(0, 10);
}
