import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ClusterRoleBinding, RoleBinding } from '../../../api/builtin-kinds.ts';
import { withType } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { RoleTemplate } from '../kinds/role.ts';
import { accessAnnotations } from './access-names.ts';
import { builtinTemplates } from './builtin-templates.ts';
import { compileClusterAccess, compileProjectAccess, memberRoles } from './compile-member-access.ts';
import type { Grant } from './grants.ts';
import { clusterRole, type PolicyRule, type Subject } from './rbac-objects.ts';

const builtin = new Map(
  builtinTemplates.map(({ name, rules = [], inherits = [], external = false, hidesSecrets, context }) => [
    name,
    withType(RoleTemplate, {
      metadata: { name, ...(hidesSecrets && { annotations: { [accessAnnotations.hidesSecrets]: 'true' } }) },
      context,
      rules: [...rules],
      roleTemplateNames: [...inherits],
      external,
    }) as RoleTemplate,
  ]),
);
const find = (name: string) => builtin.get(name);
const user = (name: string): Subject => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
const grant = (name: string, template: string): Grant => ({ template, subject: user(name), memberSubject: user(name) });
const names = (objects: readonly KubeObject[], kind: string) =>
  objects.filter(obj => obj.kind === kind).map(({ metadata: { namespace, name } }) => (namespace ? `${namespace}/${name}` : name!));
const subjectsOf = (obj: KubeObject) => ((obj as RoleBinding | ClusterRoleBinding).subjects ?? []).map(({ name }) => name);
const rulesOf = (obj: KubeObject) => (obj['rules'] ?? []) as PolicyRule[];
const secretReaders: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['secrets', 'pods'] };

test('everybody with the same role is in one binding for each namespace', () => {
  const made = compileProjectAccess({
    project: 'p-abcde',
    namespaces: ['shop', 'db'],
    grants: [grant('u-ann', 'project-owner'), grant('u-bob', 'project-owner'), grant('u-cy', 'read-only')],
    find,
  });
  assert.deepEqual(names(made, 'RoleBinding'), [
    'db/rancher-admin',
    'db/rancher-project-owner',
    'db/rancher-read-only',
    'shop/rancher-admin',
    'shop/rancher-project-owner',
    'shop/rancher-read-only',
  ]);
  const owners = made.find(({ metadata }) => metadata.namespace === 'db' && metadata.name === 'rancher-admin')!;
  assert.deepEqual(subjectsOf(owners), ['u-ann', 'u-bob']);
});

test('read-only is what the member lets viewers see, without Secrets', () => {
  const { bound, made } = memberRoles('read-only', find, [secretReaders]);
  assert.deepEqual(bound, ['read-only']);
  const rules = made.get('read-only')!;
  assert.ok(rules.some(({ resources }) => resources?.includes('pods')));
  assert.ok(!rules.some(({ resources }) => resources?.includes('secrets') || resources?.includes('*')));
});

test('a role that inherits an external one is bound to the ClusterRole of the member', () => {
  assert.deepEqual(memberRoles('project-owner', find, []).bound, ['project-owner', 'admin']);
  assert.deepEqual([...memberRoles('project-owner', find, []).made.keys()], ['project-owner']);
});

test('a RoleTemplate cannot be called like a role that the hub or Kubernetes has on members', () => {
  const own = (name: string) => withType(RoleTemplate, { metadata: { name }, rules: [secretReaders] }) as RoleTemplate;
  for (const name of ['cattle-admin', 'cluster-admin', 'view'])
    assert.deepEqual(memberRoles(name, own, []), { bound: [], made: new Map() });
});

test('kinds of the whole cluster are given by a promoted role, and namespaces by their names', () => {
  const grants = [grant('u-ann', 'project-owner'), grant('u-cy', 'read-only')];
  const ofCluster = compileClusterAccess({
    grants: [],
    projectTemplates: new Set(['project-owner', 'read-only']),
    administrators: [],
    inNamespaces: [],
    find,
    viewRules: [],
  });
  assert.deepEqual(names(ofCluster, 'ClusterRole'), [
    'create-ns',
    'project-owner',
    'project-owner-promoted',
    'read-only',
    'read-only-promoted',
  ]);
  const made = compileProjectAccess({ project: 'p-abcde', namespaces: ['shop'], grants, find });
  assert.deepEqual(names(made, 'ClusterRoleBinding'), [
    'p-abcde-project-owner-promoted',
    'p-abcde-read-only-promoted',
    'p-abcde-namespaces-readonly',
    'p-abcde-namespaces-edit',
    'p-abcde-create-ns',
  ]);
  const edit = made.find(({ kind, metadata }) => kind === 'ClusterRoleBinding' && metadata.name === 'p-abcde-namespaces-edit')!;
  assert.deepEqual(subjectsOf(edit), ['u-ann']);
});

test('without namespaces nobody is given all of them', () => {
  const made = compileProjectAccess({ project: 'p-abcde', namespaces: [], grants: [grant('u-ann', 'project-owner')], find });
  const aboutNamespaces = made.flatMap(rulesOf).filter(({ resources }) => resources?.includes('namespaces'));
  assert.deepEqual(aboutNamespaces, []);
});

test('administrators are bound by name on every member, groups by a digest of theirs', () => {
  const group: Subject = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'genericoidc_group://Admins of all' };
  const made = compileClusterAccess({
    grants: [],
    projectTemplates: new Set(),
    administrators: [user('user-abcde'), group],
    inNamespaces: [],
    find,
    viewRules: [],
  });
  assert.match(names(made, 'ClusterRoleBinding').join(' '), /^globaladmin-user-abcde globaladmin-[0-9a-f]{10}$/);
});

test('an owner of the cluster has his role everywhere', () => {
  const made = compileClusterAccess({
    grants: [grant('u-ann', 'cluster-owner')],
    projectTemplates: new Set(),
    administrators: [],
    inNamespaces: [],
    find,
    viewRules: [],
  });
  assert.deepEqual(names(made, 'ClusterRoleBinding'), ['rancher-cluster-owner']);
  assert.deepEqual(made[0], clusterRole('cluster-owner', find('cluster-owner')!.rules!));
});

const people = ['u-a', 'u-b', 'u-c', 'u-d'];
const projectTemplates = builtinTemplates.filter(({ context }) => context === 'project').map(({ name }) => name);
const grants = fc.array(fc.record({ name: fc.constantFrom(...people), template: fc.constantFrom(...projectTemplates) }), { maxLength: 12 });

test('whoever has no binding is nowhere, and the order of bindings does not matter', () => {
  fc.assert(
    fc.property(grants, fc.subarray(['x', 'y', 'z']), fc.constantFrom(...people), (random, namespaces, gone) => {
      const left = random.filter(({ name }) => name !== gone).map(({ name, template }) => grant(name, template));
      const made = compileProjectAccess({ project: 'p-abcde', namespaces, grants: left, find });
      assert.ok(!made.flatMap(subjectsOf).includes(gone));
      assert.deepEqual(compileProjectAccess({ project: 'p-abcde', namespaces, grants: [...left].reverse(), find }), made);
      const places = new Set(made.filter(({ kind }) => kind === 'RoleBinding').map(({ metadata }) => metadata.namespace!));
      assert.ok([...places].every(place => namespaces.includes(place)));
    }),
  );
});

test('every role that a binding names is made, or is the own one of the member', () => {
  fc.assert(
    fc.property(grants, random => {
      const all = random.map(({ name, template }) => grant(name, template));
      const used = new Set(all.map(({ template }) => template));
      const shared = { projectTemplates: used, administrators: [], inNamespaces: [], find, viewRules: [] };
      const objects = [
        ...compileClusterAccess({ grants: [], ...shared }),
        ...compileProjectAccess({ project: 'p-abcde', namespaces: ['x'], grants: all, find }),
      ];
      const made = new Set([...names(objects, 'ClusterRole'), 'admin', 'edit', 'view', 'monitoring-ui-view']);
      for (const obj of objects) {
        const ref = (obj as RoleBinding).roleRef;
        if (ref) assert.ok(made.has(ref.name), `nobody makes ${ref.name}`);
      }
    }),
  );
});
