import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { person, RancherObjectsInMemory } from '../../../../test/helpers/rancher-world.ts';
import type { PolicyRule } from '../../../api/kubernetes.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import { Project } from '../kinds/project.ts';
import { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding, RoleTemplate } from '../kinds/role.ts';

const users = ['u-0', 'u-1', 'u-2', 'u-3'];
const clusters = ['local', 'c-aaaaa', 'c-bbbbb'];
const project = { namespace: 'c-aaaaa', name: 'p-1' };
const projectNamespace = 'c-aaaaa-p-1';
const templates = ['t-0', 't-1', 't-2', 't-3'];
const globalRoles = ['g-0', 'g-1', 'g-2'];

/** Verbs and resources as they are; "z" is what only a wildcard reaches. */
const verbs = ['get', 'update', 'z'];
const resources = ['a', 'b', 'z'];
const named = (list: readonly string[]) => fc.subarray(['*', ...list.slice(0, -1)], { minLength: 1, maxLength: 2 });
const rule = fc.record({ verbs: named(verbs), resources: named(resources), apiGroups: fc.constantFrom(['x'], ['x'], ['*']) });
const rules = fc.array(rule, { maxLength: 2 });

const change = fc.oneof(
  fc.record({
    of: fc.constant('template' as const),
    name: fc.constantFrom(...templates),
    context: fc.constantFrom('cluster' as const, 'project' as const),
    rules,
    roleTemplateNames: fc.subarray(templates, { maxLength: 2 }),
  }),
  fc.record({
    of: fc.constant('globalRole' as const),
    name: fc.constantFrom(...globalRoles),
    rules,
    namespacedRules: fc.oneof(fc.constant({}), fc.record({ n: rules })),
    inheritedClusterRoles: fc.subarray(templates, { maxLength: 1 }),
  }),
  fc.record({ of: fc.constant('globalBinding' as const), user: fc.constantFrom(...users), role: fc.constantFrom(...globalRoles) }),
  fc.record({
    of: fc.constant('clusterBinding' as const),
    user: fc.constantFrom(...users),
    role: fc.constantFrom(...templates),
    cluster: fc.constantFrom(...clusters),
  }),
  fc.record({ of: fc.constant('projectBinding' as const), user: fc.constantFrom(...users), role: fc.constantFrom(...templates) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function target(one: Change) {
  if (one.of === 'template') {
    const { context, rules: own, roleTemplateNames } = one;
    return { kind: RoleTemplate, key: { name: one.name }, fields: { context, rules: own, roleTemplateNames } };
  }
  if (one.of === 'globalRole') {
    const { of: _, name, ...fields } = one;
    return { kind: GlobalRole, key: { name }, fields };
  }
  const { user: userName, role } = one;
  const name = `${userName}-${role}`;
  if (one.of === 'globalBinding') return { kind: GlobalRoleBinding, key: { name }, fields: { userName, globalRoleName: role } };
  if (one.of === 'clusterBinding') {
    const fields = { userName, roleTemplateName: role, clusterName: one.cluster };
    return { kind: ClusterRoleTemplateBinding, key: { namespace: one.cluster, name }, fields };
  }
  const fields = { userName, roleTemplateName: role, projectName: `${project.namespace}:${project.name}` };
  return { kind: ProjectRoleTemplateBinding, key: { namespace: projectNamespace, name }, fields };
}

/** What everybody may do, written down case by case and without regard to how it is decided elsewhere: "u-0 local get a". */
function rightsOf(hub: RancherObjectsInMemory): Set<string> {
  const rights = new Set<string>();
  const grant = (user: string, where: readonly string[], given: readonly PolicyRule[]) => {
    for (const { verbs: some, resources: what = [], apiGroups = [] } of given)
      for (const group of ['x', 'z'].filter(one => apiGroups.includes('*') || apiGroups.includes(one)))
        for (const verb of verbs.filter(one => some.includes('*') || some.includes(one)))
          for (const resource of resources.filter(one => what.includes('*') || what.includes(one)))
            for (const place of where) rights.add(`${user} ${place} ${verb} ${group}/${resource}`);
  };
  const rulesOf = (name: string, seen: readonly string[] = []): readonly PolicyRule[] => {
    const template = seen.includes(name) ? undefined : hub.get(RoleTemplate, { name });
    return [...(template?.rules ?? []), ...(template?.roleTemplateNames ?? []).flatMap(one => rulesOf(one, [...seen, name]))];
  };
  const inCluster = (id: string) => [id, ...(id === project.namespace ? [`${id}/p`] : [])];
  const members = clusters.filter(id => id !== 'local').flatMap(inCluster);
  for (const { userName = '', globalRoleName } of hub.list(GlobalRoleBinding)) {
    const role = hub.get(GlobalRole, { name: globalRoleName });
    const own = role?.rules ?? [];
    const isAll = own.some(one => [one.verbs, one.resources, one.apiGroups].every(list => list?.includes('*')));
    grant(userName, ['hub', 'hub/n', 'local', ...(isAll ? members : [])], own);
    grant(userName, ['hub/n'], role?.namespacedRules?.['n'] ?? []);
    for (const name of role?.inheritedClusterRoles ?? []) grant(userName, members, rulesOf(name));
  }
  for (const { userName = '', clusterName, roleTemplateName } of hub.list(ClusterRoleTemplateBinding))
    grant(userName, inCluster(clusterName), rulesOf(roleTemplateName));
  for (const { userName = '', roleTemplateName } of hub.list(ProjectRoleTemplateBinding))
    grant(userName, [`${project.namespace}/p`], rulesOf(roleTemplateName));
  return rights;
}

test('nobody ends with more than they had and whoever changed something had', async () => {
  const seen = { allowed: 0, refused: 0 };
  const steps = fc.array(fc.tuple(fc.constantFrom(...users), change), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 6, maxLength: 20 }), steps, async (initial, later) => {
      const hub = new RancherObjectsInMemory();
      for (const name of clusters) hub.put(ManagementCluster, { name }, { spec: {} });
      hub.put(Project, project, { spec: { clusterName: project.namespace, displayName: 'p' } });
      for (const name of templates) hub.put(RoleTemplate, { name }, { context: 'cluster' });
      for (const name of globalRoles) hub.put(GlobalRole, { name });
      for (const one of initial) {
        const { kind, key, fields } = target(one);
        hub.put(kind, key, fields);
      }
      for (const [actor, one] of later) {
        const { kind, key, fields } = target(one);
        const before = rightsOf(hub);
        const { refusal } = await hub.write(person(actor), kind, key, fields);
        seen[refusal ? 'refused' : 'allowed'] += 1;
        for (const right of rightsOf(hub)) {
          const ofActor = `${actor}${right.slice(right.indexOf(' '))}`;
          assert.ok(before.has(right) || before.has(ofActor), `${actor} gave "${right}" by ${kind.kind} ${JSON.stringify(fields)}`);
        }
      }
    }),
    { numRuns: 150 },
  );
  assert.ok(seen.allowed > 20 && seen.refused > 20, JSON.stringify(seen));
});
