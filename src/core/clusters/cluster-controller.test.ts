import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemberWorld } from '../../../test/helpers/member-world.ts';
import { ClusterRole, ClusterRoleBinding, Namespace, Node, ServiceAccount } from '../../api/builtin-kinds.ts';
import { Cluster, clusterAnnotations } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { clusterId } from './cluster-id.ts';
import { ensureMemberAccount } from './ensure-member-account.ts';

const east = (metadata = {}) =>
  newObject(
    Cluster,
    { name: 'east', ...metadata },
    { connection: { mode: 'Direct', server: 'https://east.example', secretName: 'cluster-credential' } },
  );

const isReady = (cluster: Cluster | undefined) => findCondition(cluster, 'Ready')?.status === 'True';

test('a new cluster gets its namespace, its conditions and what it is', async t => {
  const { hub, member, read } = await startMemberWorld(t);
  await member.client.create(Node, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    status: { capacity: { cpu: '4' }, allocatable: { cpu: '3500m' }, conditions: [{ type: 'Ready', status: 'True' }] },
  });
  await hub.client.create(Cluster, east());

  const cluster = await eventually(
    () => read('east'),
    one => isReady(one) && one?.status?.nodes !== undefined && one.status.apiResources !== undefined,
  );
  assert.equal(cluster?.status?.id, clusterId(cluster!));
  assert.equal(cluster?.status?.uid, (await member.client.get(Namespace, { name: 'kube-system' }))?.metadata.uid);
  assert.match(cluster?.status?.version ?? '', /^v1\.\d+/);
  assert.equal(cluster?.status?.nodes?.total, 1);
  assert.ok(cluster?.status?.apiResources?.some(one => one.groupVersion === 'apps/v1' && one.resources.some(r => r.kind === 'Deployment')));
  assert.ok(await hub.client.get(Namespace, { name: clusterId(cluster!) }));
});

test('a member that goes on as it is causes no writes', async t => {
  const { hub, mend, read } = await startMemberWorld(t);
  await hub.client.create(Cluster, east());
  const settledStatus = await eventually(
    () => read('east'),
    one => isReady(one) && one?.status?.apiResources !== undefined && one.status.nodes !== undefined,
  );
  for (let i = 0; i < 20; i++) mend();
  await new Promise(resolve => setImmediate(resolve));
  assert.equal((await read('east'))?.metadata.resourceVersion, settledStatus?.metadata.resourceVersion);
});

test('a namespace that somebody deletes is made anew', async t => {
  const { hub, read } = await startMemberWorld(t);
  await hub.client.create(Cluster, east());
  const cluster = await eventually(() => read('east'), isReady);
  const key = { name: clusterId(cluster!) };
  const { uid } = (await hub.client.get(Namespace, key))!.metadata;
  await hub.client.delete(Namespace, key);
  await eventually(
    () => hub.client.get(Namespace, key),
    one => one !== undefined && one.metadata.uid !== uid,
  );
});

test('removing a cluster takes the account of the hub off the member, then the namespace away', async t => {
  const { hub, member, read } = await startMemberWorld(t);
  await hub.client.create(Cluster, east());
  const id = clusterId((await eventually(() => read('east'), isReady))!);
  await ensureMemberAccount(member.client, id, {});

  await hub.client.delete(Cluster, { name: 'east' });
  await eventually(
    () => read('east'),
    one => one === undefined,
  );
  assert.equal(await hub.client.get(Namespace, { name: id }), undefined);
  await eventually(
    () => member.client.get(Namespace, { name: 'drover-system' }),
    one => one === undefined,
  );
  for (const kind of [ClusterRole, ClusterRoleBinding])
    await eventually(
      () => member.client.get(kind, { name: `drover:${id}` }),
      one => one === undefined,
    );
});

test('the account of another hub on the same member stays', async t => {
  const { hub, member, read } = await startMemberWorld(t);
  await hub.client.create(Cluster, east());
  const id = clusterId((await eventually(() => read('east'), isReady))!);
  await ensureMemberAccount(member.client, id, {});
  await ensureMemberAccount(member.client, 'c-m-otherhub', {});

  await hub.client.delete(Cluster, { name: 'east' });
  await eventually(
    () => read('east'),
    one => one === undefined,
  );
  const accounts = () => member.client.list(ServiceAccount, { namespace: 'drover-system' });
  const { items } = await eventually(accounts, ({ items }) => !items.some(one => one.metadata.name === `drover-${id}`));
  assert.ok(items.some(one => one.metadata.name === 'drover-c-m-otherhub'));
  assert.ok(await member.client.get(ClusterRole, { name: 'drover:c-m-otherhub' }));
});

test('a removal that is forced does not wait for a member that is gone', async t => {
  const { hub, cut, read } = await startMemberWorld(t);
  await hub.client.create(Cluster, east({ annotations: { [clusterAnnotations.forceRemoval]: 'true' } }));
  await eventually(() => read('east'), isReady);
  cut();
  await hub.client.delete(Cluster, { name: 'east' });
  await eventually(
    () => read('east'),
    one => one === undefined,
  );
});

test('a removal waits for a member that does not answer, and goes on when it does', async t => {
  const { hub, cut, mend, read } = await startMemberWorld(t);
  await hub.client.create(Cluster, east());
  await eventually(() => read('east'), isReady);
  cut();
  await hub.client.delete(Cluster, { name: 'east' });
  const leaving = await eventually(
    () => read('east'),
    one => findCondition(one, 'Ready')?.reason === 'Leaving',
  );
  assert.ok(await hub.client.get(Namespace, { name: clusterId(leaving!) }));
  mend();
  await eventually(
    () => read('east'),
    one => one === undefined,
    { timeoutMs: 20_000 },
  );
});
