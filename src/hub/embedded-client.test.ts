import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, Namespace } from '../api/builtin-kinds.ts';
import { kubeClientContract } from '../../test/contracts/kube-client-contract.ts';
import { startMemoryCluster } from '../../test/helpers/memory-cluster.ts';
import { startMemoryServer } from '../../test/helpers/memory-server.ts';
import { httpClient } from '../client/http-client.ts';
import { embeddedClient } from './embedded-client.ts';

kubeClientContract('embedded client', async t => {
  const cluster = await startMemoryCluster();
  t.after(() => cluster[Symbol.dispose]());
  return { client: embeddedClient({ cluster }), hasRoutes: false };
});

kubeClientContract('embedded client of a whole server', async t => ({ client: (await startMemoryServer(t)).client }));

kubeClientContract('HTTP client in the process', async t => ({ client: httpClient((await startMemoryServer(t)).transport) }));

test('a user who may not is refused before anything happens', async t => {
  const { api } = await startMemoryServer(t);
  const client = embeddedClient({ cluster: api.cluster, authorizer: api.authorizer, user: { name: 'jane', groups: [] } });
  await assert.rejects(
    client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }),
    /namespaces is forbidden: User "jane" cannot create resource "namespaces"/,
  );
  await assert.rejects(client.list(ConfigMap), /User "jane" cannot list resource "configmaps"/);
  await assert.rejects(Array.fromAsync(client.watch(ConfigMap)), /cannot watch/);
});

test('a watch from a version that is forgotten says so', async t => {
  const cluster = await startMemoryCluster({ namespaces: ['a'] });
  t.after(() => cluster[Symbol.dispose]());
  const client = embeddedClient({ cluster });
  for (const name of ['x', 'y'])
    await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'a', name } });
  cluster.store.history.compactTo(cluster.store.revision);
  assert.deepEqual(await Array.fromAsync(client.watch(ConfigMap, { resourceVersion: '1' })), [{ type: 'EXPIRED' }]);
});

test('a client that is closed ends its watches', async t => {
  const cluster = await startMemoryCluster();
  t.after(() => cluster[Symbol.dispose]());
  const client = embeddedClient({ cluster });
  const watching = Array.fromAsync(client.watch(ConfigMap, { resourceVersion: String(cluster.store.revision) }));
  await client[Symbol.asyncDispose]();
  assert.deepEqual(await watching, []);
});
