import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { CustomResourceDefinition, Namespace, Secret } from '../../api/builtin-kinds.ts';
import { Cluster, clusterConditions } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { importCluster, rehearseImport, type ImportRequest } from './import-cluster.ts';
import { secretOf } from './registration-token.ts';

async function startHub(t: TestContext): Promise<KubeClient> {
  const { api, client } = await startMemoryServer(t);
  await client.create(CustomResourceDefinition, Cluster.definition() as CustomResourceDefinition);
  await eventually(() => api.cluster.catalog.find(Cluster) !== undefined);
  return client;
}

const request = (changed: Partial<ImportRequest> = {}): ImportRequest => ({
  name: 'east',
  labels: { env: 'prod' },
  lifetimeMs: 3_600_000,
  now: new Date(),
  signal: AbortSignal.timeout(30_000),
  ...changed,
});

test('a cluster is invited: a Cluster with its labels, its namespace and the hash of its token', async t => {
  const hub = await startHub(t);
  const { id, token, isNew } = await importCluster(hub, request());
  const cluster = await hub.get(Cluster, { name: 'east' });
  assert.deepEqual([cluster?.spec.connection, cluster?.metadata.labels, isNew], [{ mode: 'Tunnel' }, { env: 'prod' }, true]);
  assert.ok(await hub.get(Namespace, { name: id }));
  assert.ok(secretOf(token, (await hub.list(Secret, { namespace: id })).items));
});

test('asking again makes another token for the same cluster, and forgets those that have expired', async t => {
  const hub = await startHub(t);
  const first = await importCluster(hub, request());
  const later = new Date(Date.now() + 7_200_000);
  const second = await importCluster(hub, request({ now: later }));
  assert.deepEqual([second.id, second.isNew], [first.id, false]);
  const { items } = await hub.list(Secret, { namespace: first.id });
  assert.ok(secretOf(second.token, items) && !secretOf(first.token, items));
});

test('a name that is taken is refused, and nothing is left behind', async t => {
  const hub = await startHub(t);
  await hub.create(Cluster, newObject(Cluster, { name: 'east' }, { connection: { mode: 'Sandbox' } }));
  await assert.rejects(importCluster(hub, request()), /there is another cluster "east" already/);
  const { cluster, id } = await importCluster(hub, request({ name: 'west' }));
  const conditions = [
    { type: clusterConditions.connected, status: 'True' as const, reason: 'A', message: '', lastTransitionTime: '2026-11-16T00:00:00Z' },
  ];
  await hub.update(Cluster, { ...cluster, status: { conditions } }, { subresource: 'status' });
  await assert.rejects(importCluster(hub, request({ name: 'west' })), /is a member already, and its agent is connected/);
  assert.equal((await hub.list(Secret, { namespace: id })).items.length, 1);
});

test('a rehearsal makes nothing, and hears from the hub what it would not take', async t => {
  const hub = await startHub(t);
  for (const asksHub of [false, true]) await rehearseImport(hub, request(), { asksHub });
  await assert.rejects(rehearseImport(hub, request({ name: 'Not A Name' }), { asksHub: true }), /Invalid value/);
  assert.deepEqual((await hub.list(Cluster)).items, []);
});

test('when a later step fails the Cluster is taken back', async t => {
  const hub = await startHub(t);
  for (const broken of ['apply', 'list', 'create'] as const) {
    const failing: KubeClient = {
      ...hub,
      [broken]: (kind: never, ...rest: never[]) =>
        broken === 'create' && (kind as { kind: string }).kind === 'Cluster'
          ? (hub.create as (...all: unknown[]) => unknown)(kind, ...rest)
          : Promise.reject(new Error('the hub fell over')),
    };
    await assert.rejects(importCluster(failing, request()), /the hub fell over/);
    assert.equal(await hub.get(Cluster, { name: 'east' }), undefined, broken);
  }
});

test('a name that no cluster can have is refused by the hub', async t => {
  const hub = await startHub(t);
  await assert.rejects(importCluster(hub, request({ name: 'East!' })), /metadata.name: Invalid value/);
});
