import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole, ClusterRoleBinding, Node } from '../../../api/builtin-kinds.ts';
import { newObject } from '../../../api/define-kind.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { everything, startRancherRig } from '../../../../test/helpers/rancher-rig.ts';
import type { JsonObject } from '../../../util/json.ts';
import { ClusterRegistrationToken } from '../kinds/cluster.ts';

const rbac = 'rbac.authorization.k8s.io';

test('a new registration token comes with its commands', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster('c-abcde', 'shop');
  const as = await rig.addPerson('admin', everything);
  const asked = rig.ask('/v3/clusterregistrationtokens', { as, method: 'POST', body: { clusterId: 'c-abcde' } });
  const { client } = rig.hub;
  const [made] = await eventually(
    async () => (await client.list(ClusterRegistrationToken, { namespace: 'c-abcde' })).items,
    items => items.length === 1,
  );
  const status = {
    token: 'x',
    manifestUrl: 'https://hub/v3/import/x_c-abcde.yaml',
    command: 'kubectl apply -f …',
    previousToken: 'secret',
  };
  await client.update(ClusterRegistrationToken, { ...made!, status }, { subresource: 'status' });
  const { status: code, body } = await asked;
  assert.deepEqual(
    [code, body['clusterId'], body['manifestUrl'], body['command'], body['nodeCommand']],
    [201, 'c-abcde', status.manifestUrl, status.command, ''],
  );
  assert.equal('previousToken' in body, false);
  const listed = await rig.ask('/v3/clusterregistrationtokens?clusterId=c-abcde', { as });
  assert.deepEqual(
    (listed.body['data'] as JsonObject[]).map(({ id }) => id),
    [body['id']],
  );
  const nowhere = await rig.ask('/v3/clusterregistrationtokens', { as, method: 'POST', body: { clusterId: '../x' } });
  assert.deepEqual([nowhere.status, nowhere.body['code']], [422, 'InvalidReference']);
});

test('who asks for the tokens of one cluster hears of them when they have been filled in, or of why they will not be', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster('c-abcde', 'shop');
  const as = await rig.addPerson('admin', everything);
  const { client } = rig.hub;
  const names = ['one', 'two'];
  for (const name of names)
    await client.create(
      ClusterRegistrationToken,
      newObject(ClusterRegistrationToken, { namespace: 'c-abcde', name }, { clusterName: 'c-abcde' }),
    );
  const asked = rig.ask('/v3/clusterregistrationtokens?clusterId=c-abcde', { as });
  const statuses = [{ token: 'x', command: 'kubectl apply -f …' }, { conditions: [{ type: 'Ready', status: 'False', reason: 'NoAgent' }] }];
  for (const [i, name] of names.entries()) {
    const present = (await client.get(ClusterRegistrationToken, { namespace: 'c-abcde', name }))!;
    await client.update(ClusterRegistrationToken, { ...present, status: statuses[i]! }, { subresource: 'status' });
  }
  const { body } = await asked;
  assert.deepEqual(
    (body['data'] as JsonObject[]).map(({ name, command }) => [name, command]),
    [
      ['one', 'kubectl apply -f …'],
      ['two', ''],
    ],
  );
});

test('nodes are shown to those who may see them on the cluster itself', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster('c-abcde', 'shop');
  const as = await rig.addPerson('admin', everything);
  const list = async (path: string) => (await rig.ask(path, { as })).body['data'] as JsonObject[];
  const { client: member } = rig.member;
  await member.create(Node, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', labels: { 'node-role.kubernetes.io/control-plane': '' } },
    status: {
      allocatable: { cpu: '4' },
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
  assert.deepEqual(await list('/v3/nodes'), [], 'the rights on the hub are not those on the cluster');
  const name = 'nodes';
  await member.create(ClusterRole, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name },
    rules: [{ verbs: ['list'], apiGroups: [''], resources: ['nodes'] }],
  });
  await member.create(ClusterRoleBinding, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: rbac, kind: 'User', name: as.user.metadata.name! }],
  });
  const [node, ...more] = await list('/v3/nodes?clusterId=c-abcde');
  assert.deepEqual(
    ['id', 'nodeName', 'clusterId', 'ipAddress', 'controlPlane', 'worker', 'state', 'allocatable'].map(field => node?.[field]),
    ['c-abcde:n1', 'n1', 'c-abcde', '10.0.0.1', true, false, 'active', { cpu: '4' }],
  );
  assert.equal(more.length, 0);
  assert.equal((await rig.ask('/v3/nodes/c-abcde:n1', { as })).status, 200);
  for (const id of ['n1', 'c-abcde:n2', 'c-12345:n1', 'a:b:c']) assert.equal((await rig.ask(`/v3/nodes/${id}`, { as })).status, 404, id);
  assert.deepEqual(await list('/v3/nodes?clusterId=c-12345'), []);
});
