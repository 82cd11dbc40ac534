import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemberWorld, type MemberWorld } from '../../../test/helpers/member-world.ts';
import { Namespace, Secret } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import type { RunningController } from '../../runtime/controller.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { KarmadaCluster } from './karmada-cluster.ts';
import { runKarmadaClusters } from './karmada-clusters.ts';

interface KarmadaWorld extends MemberWorld {
  readonly controller: RunningController;
  readKarmada(): Promise<KarmadaCluster | undefined>;
}

async function start(t: TestContext): Promise<KarmadaWorld> {
  const world = await startMemberWorld(t, [KarmadaCluster]);
  const { hub, clusters, signal } = world;
  const controller = runKarmadaClusters({ hub: hub.client, clusters, signal });
  return { ...world, controller, readKarmada: () => hub.client.get(KarmadaCluster, { name: 'east' }) };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function addCredential({ hub }: KarmadaWorld, token = 'first'): Promise<void> {
  await hub.client.apply(Namespace, { metadata: { name: 'karmada-cluster' } });
  await hub.client.apply(Secret, {
    metadata: { namespace: 'karmada-cluster', name: 'east', labels: { 'karmada.io/system': 'true' } },
    data: { token: base64(token), caBundle: base64('-----BEGIN CERTIFICATE-----') },
  });
}

const east = (spec: Partial<KarmadaCluster['spec']> = {}) =>
  newObject(
    KarmadaCluster,
    { name: 'east', labels: { env: 'prod' } },
    { syncMode: 'Push', apiEndpoint: 'https://east.example', secretRef: { namespace: 'karmada-cluster', name: 'east' }, ...spec },
  );

const readyOf = (cluster: KarmadaCluster | undefined) => cluster?.status?.conditions?.find(one => one.type === 'Ready');

test('a Karmada cluster becomes a Cluster, and hears how that one is', async t => {
  const world = await start(t);
  await addCredential(world);
  await world.hub.client.create(KarmadaCluster, east());

  const karmada = await eventually(world.readKarmada, one => readyOf(one)?.status === 'True' && one?.status?.apiEnablements !== undefined);
  assert.equal(readyOf(karmada)?.reason, 'ClusterReady');
  assert.match(karmada?.status?.kubernetesVersion ?? '', /^v1\./);
  await eventually(world.readKarmada, one => (one?.spec.taints ?? []).length === 0);
  assert.ok(await world.hub.client.get(Namespace, { name: 'karmada-es-east' }));

  const cluster = (await world.read('east'))!;
  assert.equal(cluster.metadata.labels?.env, 'prod');
  assert.equal(cluster.spec.connection.server, 'https://east.example');
  const copy = await world.hub.client.get(Secret, { namespace: clusterId(cluster), name: cluster.spec.connection.secretName! });
  assert.deepEqual(copy?.data, { token: base64('first') });
});

test('nothing is written when nothing has changed', async t => {
  const world = await start(t);
  await addCredential(world);
  await world.hub.client.create(KarmadaCluster, east());
  const isWhole = ({ status, spec }: KarmadaCluster) =>
    status?.apiEnablements !== undefined && status.nodeSummary !== undefined && (spec.taints ?? []).length === 0;
  await eventually(world.readKarmada, one => one !== undefined && readyOf(one)?.status === 'True' && isWhole(one));
  await world.controller.idle();
  const versions = async () => [await world.readKarmada(), await world.read('east')].map(one => one?.metadata.resourceVersion);
  const before = await versions();
  world.controller.add('east');
  await world.controller.idle();
  assert.deepEqual(await versions(), before);
});

test('a new token reaches the Cluster', async t => {
  const world = await start(t);
  await addCredential(world);
  await world.hub.client.create(KarmadaCluster, east());
  const cluster = await eventually(() => world.read('east'), Boolean);
  const key = { namespace: clusterId(cluster!), name: 'karmada-credential' };
  await eventually(async () => (await world.hub.client.get(Secret, key))?.data?.token === base64('first'));
  await addCredential(world, 'second');
  await eventually(async () => (await world.hub.client.get(Secret, key))?.data?.token === base64('second'));
});

test('a credential that is missing is said, and tainted, until it comes', async t => {
  const world = await start(t);
  await world.hub.client.create(KarmadaCluster, east());
  const failed = await eventually(world.readKarmada, one => readyOf(one)?.status === 'False' && one?.spec.taints !== undefined);
  assert.equal(readyOf(failed)?.reason, 'StatusCollectionFailed');
  assert.equal(readyOf(failed)?.message, 'there is no Secret "karmada-cluster/east"');
  assert.deepEqual(failed?.spec.taints, [{ key: 'cluster.karmada.io/not-ready', effect: 'NoSchedule' }]);

  await addCredential(world);
  const ready = await eventually(world.readKarmada, one => readyOf(one)?.status === 'True' && (one?.spec.taints ?? []).length === 0);
  assert.equal(readyOf(ready)?.reason, 'ClusterReady');
});

test('taints of people reach the Cluster', async t => {
  const world = await start(t);
  await addCredential(world);
  await world.hub.client.create(KarmadaCluster, east());
  await eventually(world.readKarmada, one => readyOf(one)?.status === 'True' && (one?.spec.taints ?? []).length === 0);
  const cordon = { key: 'cluster.karmada.io/unschedulable', effect: 'NoSchedule' };
  await world.hub.client.patch(KarmadaCluster, { name: 'east' }, { type: 'merge', body: { spec: { taints: [cordon] } } });
  await eventually(
    () => world.read('east'),
    one => one?.spec.taints?.[0]?.key === cordon.key,
  );
  await world.hub.client.patch(KarmadaCluster, { name: 'east' }, { type: 'merge', body: { spec: { taints: null } } });
  await eventually(
    () => world.read('east'),
    one => (one?.spec.taints ?? []).length === 0,
  );
});

test('a Cluster of somebody else is left alone', async t => {
  const world = await start(t);
  await addCredential(world);
  await world.hub.client.create(Cluster, newObject(Cluster, { name: 'east' }, { connection: { mode: 'Direct', server: 'https://mine' } }));
  await world.hub.client.create(KarmadaCluster, east());
  const failed = await eventually(world.readKarmada, one => readyOf(one)?.status === 'False');
  assert.match(readyOf(failed)?.message ?? '', /there is another cluster "east" of drover.io already/);
  await world.hub.client.delete(KarmadaCluster, { name: 'east' });
  await eventually(world.readKarmada, one => one === undefined);
  assert.equal((await world.read('east'))?.spec.connection.server, 'https://mine');
});

test('removing it removes the namespace of its Works, then the Cluster', async t => {
  const world = await start(t);
  await addCredential(world);
  await world.hub.client.create(KarmadaCluster, east());
  const karmada = await eventually(world.readKarmada, one => readyOf(one)?.status === 'True');
  const key = { namespace: 'karmada-cluster', name: 'east' };
  const owner = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', name: 'east', uid: karmada!.metadata.uid! };
  await world.hub.client.patch(Secret, key, { type: 'merge', body: { metadata: { ownerReferences: [owner] } } });
  await world.hub.client.delete(KarmadaCluster, { name: 'east' });
  await eventually(world.readKarmada, one => one === undefined, { timeoutMs: 20_000 });
  assert.equal(await world.hub.client.get(Secret, key), undefined);
  assert.equal(await world.read('east'), undefined);
  assert.equal(await world.hub.client.get(Namespace, { name: 'karmada-es-east' }), undefined);
});

test('a name that Karmada does not take is refused', async t => {
  const world = await start(t);
  const named = (name: string) => world.hub.client.create(KarmadaCluster, { ...east(), metadata: { name } });
  await assert.rejects(named('a.b'), /must be a DNS label of no more than 48 characters/);
  await assert.rejects(named('a'.repeat(49)), /must be a DNS label of no more than 48 characters/);
  await assert.rejects(world.hub.client.create(KarmadaCluster, east({ zone: 'a', zones: ['b'] })), /Zone and Zones cannot co-exist/);
});
