import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PolicyRule } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/object.ts';
import { startMemoryCluster, type MemoryCluster } from '../../test/helpers/memory-cluster.ts';
import type { AdmissionRequest } from '../apiserver/admission/admission.ts';
import { reconcileBootstrapPolicy } from './bootstrap-policy.ts';
import { clusterRoleAggregationController } from './cluster-role-aggregation.ts';
import { rbacEscalationPlugin } from './escalation.ts';
import { ruleAllows, uncoveredRules } from './policy-rule.ts';
import { forbiddenRequest, rbacAuthorizer, rbacGroup } from './rbac.ts';
import type { AccessAttributes, ResourceAttributes, UserInfo } from './user.ts';

const put = (cluster: MemoryCluster, kind: string, name: string, content: object, namespace?: string) =>
  cluster.put({ apiVersion: `${rbacGroup}/v1`, kind, metadata: { name, ...(namespace !== undefined && { namespace }) }, ...content });
const ref = (kind: string, name: string) => ({ apiGroup: rbacGroup, kind, name });
const subject = (kind: string, name: string, namespace?: string) => ({
  ...(kind !== 'ServiceAccount' && { apiGroup: rbacGroup }),
  kind,
  name,
  ...(namespace !== undefined && { namespace }),
});
const want = (verb: string, resource: string, rest: Partial<ResourceAttributes> = {}): ResourceAttributes => ({
  isResource: true,
  verb,
  group: '',
  version: 'v1',
  resource,
  subresource: '',
  namespace: '',
  name: '',
  ...rest,
});
const alice: UserInfo = { name: 'alice', groups: ['dev', 'system:authenticated'] };
const robot: UserInfo = { name: 'system:serviceaccount:shop:robot', groups: ['system:serviceaccounts'] };

test('decisions follow bindings, with the reasons of the real server', async t => {
  using cluster = await startMemoryCluster();
  await put(cluster, 'ClusterRole', 'reader', {
    rules: [{ apiGroups: [''], resources: ['pods', 'pods/log', '*/scale'], verbs: ['get', 'list'] }],
  });
  await put(
    cluster,
    'Role',
    'named',
    { rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['*'] }] },
    'shop',
  );
  await put(cluster, 'ClusterRole', 'urls', { rules: [{ nonResourceURLs: ['/healthz', '/api/*'], verbs: ['get'] }] });
  await put(cluster, 'ClusterRoleBinding', 'readers', {
    roleRef: ref('ClusterRole', 'reader'),
    subjects: [subject('Group', 'ops'), subject('Group', 'dev')],
  });
  await put(cluster, 'ClusterRoleBinding', 'urls', { roleRef: ref('ClusterRole', 'urls'), subjects: [subject('User', 'alice')] });
  await put(cluster, 'RoleBinding', 'robots', { roleRef: ref('Role', 'named'), subjects: [subject('ServiceAccount', 'robot')] }, 'shop');
  using rbac = rbacAuthorizer(cluster);

  const readers = 'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "dev"';
  const robots = 'RBAC: allowed by RoleBinding "robots/shop" of Role "named" to ServiceAccount "robot/shop"';
  const table: [UserInfo, AccessAttributes, string | undefined][] = [
    [alice, want('get', 'pods', { namespace: 'any' }), readers],
    [alice, want('list', 'pods'), readers],
    [alice, want('get', 'pods', { subresource: 'log' }), readers],
    [alice, want('get', 'pods', { subresource: 'exec' }), undefined],
    [alice, want('get', 'deployments', { subresource: 'scale' }), readers],
    [alice, want('get', 'pods', { group: 'metrics.k8s.io' }), undefined],
    [alice, want('delete', 'pods'), undefined],
    [robot, want('delete', 'secrets', { namespace: 'shop', name: 'one' }), robots],
    [robot, want('delete', 'secrets', { namespace: 'shop', name: 'two' }), undefined],
    [robot, want('list', 'secrets', { namespace: 'shop' }), undefined],
    [robot, want('delete', 'secrets', { namespace: 'bank', name: 'one' }), undefined],
    [
      alice,
      { isResource: false, verb: 'get', path: '/api/v1' },
      'RBAC: allowed by ClusterRoleBinding "urls" of ClusterRole "urls" to User "alice"',
    ],
    [alice, { isResource: false, verb: 'get', path: '/healthz/etcd' }, undefined],
    [alice, { isResource: false, verb: 'post', path: '/healthz' }, undefined],
    [{ name: 'root', groups: ['system:masters'] }, want('delete', 'nodes'), ''],
  ];
  for (const [user, wanted, reason] of table)
    await t.test(`${user.name} ${JSON.stringify(wanted)}`, () =>
      assert.deepEqual(rbac.authorize(user, wanted), { allowed: reason !== undefined, reason: reason ?? '' }),
    );
});

test('changes of roles and bindings count at once', async () => {
  using cluster = await startMemoryCluster();
  using rbac = rbacAuthorizer(cluster);
  const allowed = () => rbac.authorize(alice, want('get', 'pods')).allowed;
  await put(cluster, 'ClusterRoleBinding', 'b', { roleRef: ref('ClusterRole', 'r'), subjects: [subject('User', 'alice')] });
  assert.equal(rbac.authorize(alice, want('get', 'pods')).reason, 'RBAC: clusterrole.rbac.authorization.k8s.io "r" not found');
  await put(cluster, 'ClusterRole', 'r', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] });
  assert.ok(allowed());
  await put(cluster, 'ClusterRole', 'r', { rules: [] });
  assert.ok(!allowed());
  await put(cluster, 'ClusterRole', 'r', { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
  await put(cluster, 'ClusterRoleBinding', 'b', { roleRef: ref('ClusterRole', 'r'), subjects: [subject('User', 'bob')] });
  assert.ok(!allowed());
  await put(cluster, 'ClusterRoleBinding', 'c', { roleRef: ref('ClusterRole', 'r'), subjects: [subject('Group', 'dev')] });
  assert.ok(allowed());
  await cluster.delete({ group: rbacGroup, version: 'v1', resource: 'clusterrolebindings' }, { namespace: '', name: 'c' });
  assert.ok(!allowed());
});

test('refusals have the words of the real server', () => {
  const cases: [AccessAttributes, string, string][] = [
    [want('list', 'pods'), '', 'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope'],
    [
      want('delete', 'deployments', { group: 'apps', namespace: 'default', name: 'x' }),
      '',
      'deployments.apps "x" is forbidden: User "alice" cannot delete resource "deployments" in API group "apps" in the namespace "default"',
    ],
    [
      want('get', 'pods', { subresource: 'log', namespace: 'default', name: 'a<b>' }),
      'RBAC: x',
      'pods "a<b>" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "default": RBAC: x',
    ],
    [{ isResource: false, verb: 'get', path: '/foo/<x>' }, '', 'forbidden: User "alice" cannot get path "/foo/&lt;x&gt;"'],
  ];
  for (const [wanted, reason, message] of cases) assert.equal(forbiddenRequest(alice, wanted, reason).message, message);
  assert.deepEqual(forbiddenRequest(alice, { isResource: false, verb: 'get', path: '/' }).details, {});
});

const word = fc.constantFrom('a', 'b', '*');
const words = (item: fc.Arbitrary<string>) => fc.array(item, { minLength: 1, maxLength: 2 });
const rule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: words(word),
  apiGroups: words(fc.constantFrom('', 'g', '*')),
  resources: words(fc.constantFrom('p', 'q', 'p/s', '*/s', '*')),
  resourceNames: fc.oneof(fc.constant<string[]>([]), words(fc.constantFrom('n', 'm'))),
});
const request = fc.record({
  verb: fc.constantFrom('a', 'b'),
  group: fc.constantFrom('', 'g'),
  resource: fc.constantFrom('p', 'q'),
  subresource: fc.constantFrom('', 's', 't'),
  namespace: fc.constantFrom('', 'x', 'y'),
  name: fc.constantFrom('', 'n'),
});

test('the index decides as reading everything does', async () => {
  const binding = fc.record({
    namespace: fc.constantFrom('', 'x', 'y'),
    role: fc.nat(3),
    subjects: fc.array(
      fc.constantFrom(subject('User', 'alice'), subject('User', 'bob'), subject('Group', 'dev'), subject('ServiceAccount', 'alice', 'x')),
      {
        maxLength: 3,
      },
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(rule, { maxLength: 2 }), { minLength: 1, maxLength: 3 }),
      fc.array(binding, { maxLength: 5 }),
      request,
      async (roles, bindings, asked) => {
        using cluster = await startMemoryCluster();
        using rbac = rbacAuthorizer(cluster);
        for (const [i, rules] of roles.entries()) await put(cluster, 'ClusterRole', `r${i}`, { rules });
        for (const [i, b] of bindings.entries())
          await put(
            cluster,
            b.namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding',
            `b${i}`,
            { roleRef: ref('ClusterRole', `r${b.role}`), subjects: b.subjects },
            b.namespace || undefined,
          );
        const wanted: ResourceAttributes = { isResource: true, version: 'v1', ...asked };
        const naive = bindings.some(
          b =>
            (b.namespace === '' || b.namespace === wanted.namespace) &&
            b.subjects.some(s => (s.kind === 'User' && s.name === 'alice') || (s.kind === 'Group' && s.name === 'dev')) &&
            (roles[b.role] ?? []).some(r => ruleAllows(r, wanted)),
        );
        assert.equal(rbac.authorize(alice, wanted).allowed, naive);
      },
    ),
    { numRuns: 300 },
  );
});

test('what is covered allows nothing that the cover does not', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 3 }), rule, request, (held, wanted, asked) => {
      const attributes: ResourceAttributes = { isResource: true, version: 'v1', ...asked };
      fc.pre(uncoveredRules(held, [wanted]).length === 0 && ruleAllows(wanted, attributes));
      assert.ok(held.some(r => ruleAllows(r, attributes)));
    }),
    { numRuns: 300, maxSkipsPerRun: 1000 },
  );
});

test('nobody grants what they do not hold', async t => {
  using cluster = await startMemoryCluster();
  await put(cluster, 'ClusterRole', 'cluster-admin', {
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
  });
  await put(cluster, 'ClusterRole', 'writer', {
    rules: [{ apiGroups: [rbacGroup], resources: ['*'], verbs: ['get', 'create', 'update'] }],
  });
  await put(cluster, 'ClusterRoleBinding', 'alice', { roleRef: ref('ClusterRole', 'writer'), subjects: [subject('User', 'alice')] });
  await put(cluster, 'ClusterRoleBinding', 'dangling', { roleRef: ref('ClusterRole', 'nope'), subjects: [subject('Group', 'dev')] });
  await put(cluster, 'ClusterRole', 'binder', {
    rules: [
      { apiGroups: [rbacGroup], resources: ['clusterroles'], resourceNames: ['cluster-admin'], verbs: ['bind'] },
      { apiGroups: [rbacGroup], resources: ['roles'], verbs: ['escalate'] },
    ],
  });
  await put(cluster, 'ClusterRoleBinding', 'bob', { roleRef: ref('ClusterRole', 'binder'), subjects: [subject('User', 'bob')] });
  using rbac = rbacAuthorizer(cluster);
  const plugin = rbacEscalationPlugin(rbac);
  const bob: UserInfo = { name: 'bob', groups: [] };
  const held = 'is attempting to grant RBAC permissions not currently held:';
  const who = 'user "alice" (groups=["dev" "system:authenticated"])';
  const secrets = {
    rules: [
      { apiGroups: ['', 'apps'], resources: ['secrets', 'pods'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['pods'], resourceNames: ['a', 'b'], verbs: ['delete'] },
    ],
  };
  const admin = { roleRef: ref('ClusterRole', 'cluster-admin') };
  const cases: [string, UserInfo, string, object, string | undefined][] = [
    [
      'rules are listed compactly',
      alice,
      'roles',
      secrets,
      `roles.rbac.authorization.k8s.io "n" is forbidden: ${who} ${held}\n{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}\n{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}\n{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list"]}; resolution errors: [roles.rbac.authorization.k8s.io "nope" not found]`,
    ],
    [
      'aggregation wants everything',
      alice,
      'clusterroles',
      { aggregationRule: { clusterRoleSelectors: [{}] } },
      'clusterroles.rbac.authorization.k8s.io "n" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    ],
    [
      'a missing role',
      alice,
      'clusterrolebindings',
      { roleRef: ref('ClusterRole', 'missing') },
      'clusterrolebindings.rbac.authorization.k8s.io "missing" not found',
    ],
    [
      'binding a greater role',
      alice,
      'clusterrolebindings',
      admin,
      `clusterrolebindings.rbac.authorization.k8s.io "n" is forbidden: ${who} ${held}\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}; resolution errors: [clusterrolebindings.rbac.authorization.k8s.io "nope" not found]`,
    ],
    [
      'held rights may be passed on',
      alice,
      'clusterroles',
      { rules: [{ apiGroups: [rbacGroup], resources: ['roles'], verbs: ['get'] }] },
      undefined,
    ],
    ['the verb bind suffices', bob, 'clusterrolebindings', admin, undefined],
    ['the verb escalate suffices', bob, 'roles', secrets, undefined],
    ['system:masters may do anything', { name: 'x', groups: ['system:masters'] }, 'clusterrolebindings', admin, undefined],
  ];
  const asRequest = (user: UserInfo, resource: string, object: KubeObject, oldObject?: KubeObject) =>
    ({
      operation: oldObject ? 'UPDATE' : 'CREATE',
      resource: { group: rbacGroup, resource },
      subresource: '',
      namespace: resource.startsWith('cluster') ? '' : 'default',
      name: 'n',
      object,
      oldObject,
      user,
    }) as unknown as AdmissionRequest;
  const obj = (content: object): KubeObject => ({ apiVersion: `${rbacGroup}/v1`, kind: 'X', metadata: { name: 'n' }, ...content });
  for (const [name, user, resource, content, message] of cases)
    await t.test(name, () => {
      const admission = asRequest(user, resource, obj(content));
      assert.ok(plugin.handles(admission));
      if (message === undefined) plugin.mutate?.(admission);
      else assert.throws(() => plugin.mutate?.(admission), { message });
    });
  await t.test('finalizers and owners may change without the rights', () => {
    const old = obj(secrets);
    plugin.mutate?.(asRequest(alice, 'roles', { ...old, metadata: { name: 'n', finalizers: ['x'] } }, old));
    assert.throws(() => plugin.mutate?.(asRequest(alice, 'roles', { ...old, metadata: { name: 'n', labels: { a: 'b' } } }, old)));
  });
});

test('the default policy is created, healed and aggregated', async () => {
  using cluster = await startMemoryCluster();
  await reconcileBootstrapPolicy(cluster);
  const roles = { group: rbacGroup, resource: 'clusterroles' };
  assert.equal(cluster.count(roles) + cluster.count({ group: rbacGroup, resource: 'clusterrolebindings' }) > 100, true);
  using controller = clusterRoleAggregationController(cluster);
  await controller.idle();
  const view = cluster.peek(roles, '', 'view');
  assert.deepEqual(view?.['rules'], cluster.peek(roles, '', 'system:aggregate-to-view')?.['rules']);
  await put(cluster, 'ClusterRole', 'mine', {
    metadata: { name: 'mine', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [{ apiGroups: ['x'], resources: ['y'], verbs: ['get'] }],
  });
  await controller.idle();
  for (const name of ['view', 'edit', 'admin'])
    assert.ok(
      (cluster.peek(roles, '', name)?.['rules'] as PolicyRule[]).some(r => r.apiGroups?.[0] === 'x'),
      name,
    );

  await put(cluster, 'ClusterRole', 'system:basic-user', { rules: [] });
  await put(cluster, 'ClusterRole', 'system:discovery', {
    metadata: { name: 'system:discovery', annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    rules: [],
  });
  await reconcileBootstrapPolicy(cluster);
  const basic = cluster.peek(roles, '', 'system:basic-user');
  assert.equal((basic?.['rules'] as unknown[]).length > 0, true);
  assert.equal(basic?.metadata.labels?.['kubernetes.io/bootstrapping'], 'rbac-defaults');
  assert.equal(cluster.peek(roles, '', 'system:discovery')?.['rules'], null);

  const before = cluster.peekAll(roles).map(role => role.metadata.resourceVersion);
  await reconcileBootstrapPolicy(cluster);
  assert.deepEqual(
    cluster.peekAll(roles).map(role => role.metadata.resourceVersion),
    before,
  );
});
