import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Role, RoleBinding } from '../../../api/builtin-kinds.ts';
import { ruleAllows } from '../../../auth/policy-rule.ts';
import { everything, startRancherRig } from '../../../../test/helpers/rancher-rig.ts';
import { reachOf, rightsDesk } from './caller-rights.ts';

const some = (...values: string[]) => fc.subarray([...values, '*']);
const rule = fc.record(
  {
    verbs: some('get', 'list'),
    apiGroups: some('a', 'b'),
    resources: some('x', 'y', 'x/status'),
    resourceNames: fc.subarray(['n1', 'n2', '']),
  },
  { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
);

test('rules reach what RBAC allows by them, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), rules => {
      for (const verb of ['get', 'list', 'create'])
        for (const group of ['a', 'b', ''])
          for (const name of ['n1', 'n3']) {
            const wanted = { isResource: true, verb, group, version: 'v1', resource: 'x', subresource: '', namespace: '', name } as const;
            const allowed = rules.some(one => ruleAllows(one, wanted));
            assert.equal(reachOf(rules, verb, { group, resource: 'x' }).covers(name), allowed);
          }
    }),
  );
});

test('rights in a namespace are no rights elsewhere', async t => {
  const rig = await startRancherRig(t);
  const jane = await rig.addPerson('jane', [{ verbs: ['get'], apiGroups: ['g'], resources: ['things'], resourceNames: ['one'] }]);
  const boss = await rig.addPerson('boss', everything);
  const reach = async ({ user }: typeof jane, namespace: string) => {
    const caller = { name: user.metadata.name!, groups: ['system:authenticated'] };
    const { isEverything, names } = await rightsDesk()
      .of(caller, rig.access.as(caller))
      .reach('get', { group: 'g', resource: 'things' }, namespace);
    return [isEverything, [...names]];
  };
  assert.deepEqual(await reach(boss, ''), [true, []]);
  assert.deepEqual(await reach(jane, ''), [false, ['one']]);
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name: 'more', namespace: 'default' };
  await rig.hub.client.create(Role, {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata,
    rules: [{ verbs: ['get'], apiGroups: ['g'], resources: ['things'] }],
  });
  await rig.hub.client.create(RoleBinding, {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'more' },
    subjects: [{ apiGroup: rbac, kind: 'User', name: jane.user.metadata.name! }],
  });
  assert.deepEqual(await reach(jane, 'default'), [true, ['one']]);
  assert.deepEqual(await reach(jane, ''), [false, ['one']]);
});
