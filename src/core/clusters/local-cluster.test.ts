import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { ConfigMap, Namespace } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { informer } from '../../runtime/informer.ts';
import { clusterIndexes } from './cluster-indexes.ts';
import { credentialSecrets } from './direct-way.ts';
import { ensureLocalCluster, findLocalCluster, LocalClusterError, localWay } from './local-cluster.ts';
import { memberDirectory } from './member-directory.ts';

async function start(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [Cluster]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  const clusters = informer(hub, Cluster, { signal, indexes: clusterIndexes });
  const directory = memberDirectory({ clusters, secrets: credentialSecrets(hub, { signal }), signal });
  directory.register(
    'Local',
    localWay(hub, () => Promise.reject(new Error('nobody leaves HTTP here'))),
  );
  await directory.synced;
  return { hub, clusters, directory, signal };
}

test('the hub itself becomes a member when it is needed, once, and its client outlives the Cluster', async t => {
  const { hub, clusters, directory, signal } = await start(t);
  assert.equal(findLocalCluster(clusters), undefined);
  const [one, other] = await Promise.all([ensureLocalCluster(hub, clusters, signal), ensureLocalCluster(hub, clusters, signal)]);
  assert.equal(one.metadata.uid, other.metadata.uid);
  await eventually(
    () => findLocalCluster(clusters),
    found => found !== undefined,
  );
  assert.ok(await hub.get(Namespace, { name: 'local' }));
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'seen' } };
  await directory.client('local').create(ConfigMap, object);
  assert.ok(await hub.get(ConfigMap, { namespace: 'default', name: 'seen' }));

  await hub.delete(Cluster, { name: 'local' });
  await eventually(
    () => findLocalCluster(clusters),
    found => found === undefined,
  );
  assert.throws(() => directory.client('local'), /there is no cluster "local"/);
  assert.ok(await hub.get(ConfigMap, { namespace: 'default', name: 'seen' }));
});

test("a namespace or a cluster of that name that is somebody else's is not taken", async t => {
  const { hub, clusters, signal } = await start(t);
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'local' } });
  await assert.rejects(ensureLocalCluster(hub, clusters, signal), LocalClusterError);
  assert.equal(await hub.get(Cluster, { name: 'local' }), undefined);
});

test('a cluster of another kind that is called local is not the hub', async t => {
  const { hub, clusters, signal } = await start(t);
  await hub.create(Cluster, newObject(Cluster, { name: 'local' }, { connection: { mode: 'Sandbox' } }));
  await assert.rejects(ensureLocalCluster(hub, clusters, signal), /which another cluster has/);
});

test('the mode and the id mean the hub only together, and only under its name', async t => {
  const { hub, clusters, directory } = await start(t);
  const create = (name: string, spec: Cluster['spec']) => hub.create(Cluster, newObject(Cluster, { name }, spec));
  await assert.rejects(create('local', { connection: { mode: 'Local' } }), /go together/);
  await assert.rejects(create('east', { id: 'local', connection: { mode: 'Sandbox' } }), /go together/);
  await create('pretender', { id: 'local', connection: { mode: 'Local' } });
  await eventually(
    () => clusters.get('pretender'),
    found => found !== undefined,
  );
  assert.throws(() => directory.client('pretender'), /only the cluster "local" is the hub itself/);
});
