import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { Namespace, Secret } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { readBytes } from '../../client/read-answer.ts';
import { UnreachableError, type Transport } from '../../client/transport.ts';
import { informer } from '../../runtime/informer.ts';
import { clusterId } from './cluster-id.ts';
import { clusterIndexes } from './cluster-indexes.ts';
import { credentialSecrets } from './direct-way.ts';
import { memberDirectory } from './member-directory.ts';

async function start(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [Cluster]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  const clusters = informer(hub, Cluster, { signal, indexes: clusterIndexes });
  const directory = memberDirectory({ clusters, secrets: credentialSecrets(hub, { signal }), signal });
  await directory.synced;
  const changes: string[] = [];
  directory.subscribe(name => changes.push(name));
  return { hub, directory, changes };
}

/** A server that says who asks. */
async function startEcho(t: TestContext): Promise<string> {
  const server = createServer((req, res) => res.end(`${req.headers.authorization} ${req.url}`));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(transport: Transport): Promise<string> {
  return (await readBytes((await transport.request({ method: 'GET', path: '/api' })).body)).toString();
}

const setToken = (hub: Awaited<ReturnType<typeof start>>['hub'], id: string, token: string) =>
  hub.apply(Secret, { metadata: { namespace: id, name: 'credential' }, data: { token: Buffer.from(token).toString('base64') } });

test('a direct member is called with the token of its Secret, whatever that becomes', async t => {
  const { hub, directory, changes } = await start(t);
  const server = await startEcho(t);
  const connection = { mode: 'Direct', server: `${server}/prefix/`, secretName: 'credential' } as const;
  const cluster = await hub.create(Cluster, newObject(Cluster, { name: 'east' }, { connection }));
  const id = clusterId(cluster);
  await eventually(() => changes.includes('east'));
  assert.throws(
    () => directory.client('east'),
    (error: Error) => !(error instanceof UnreachableError) && /there is no Secret "c-m-.*\/credential"/.test(error.message),
  );

  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
  await setToken(hub, id, 'first');
  const first = await eventually(() => directory.transport('east'));
  assert.equal(await ask(first), 'Bearer first /prefix/api');
  assert.equal(directory.transport('east'), first, 'the same until something changes');

  changes.length = 0;
  await setToken(hub, id, 'second');
  await eventually(() => changes.includes('east'));
  assert.notEqual(directory.transport('east'), first);
  assert.equal(await ask(directory.transport('east')), 'Bearer second /prefix/api');

  await hub.delete(Cluster, { name: 'east' });
  await eventually(() => assert.throws(() => directory.transport('east'), /there is no cluster "east"/) === undefined);
});

test('other modes are reached as they were registered', async t => {
  const { hub, directory, changes } = await start(t);
  await hub.create(Cluster, newObject(Cluster, { name: 'west' }, { connection: { mode: 'Tunnel' } }));
  await eventually(() => changes.includes('west'));
  assert.throws(() => directory.client('west'), UnreachableError);

  const server = await startEcho(t);
  const { httpsTransport } = await import('../../client/https-transport.ts');
  directory.register('Tunnel', { open: cluster => ({ transport: httpsTransport({ server: `${server}/${cluster.metadata.name}` }) }) });
  assert.equal(await ask(directory.transport('west')), 'undefined /west/api');
  const before = directory.client('west');
  directory.refresh('west');
  assert.notEqual(directory.client('west'), before);
});

test('a label or a status does not change the way', async t => {
  const { hub, directory, changes } = await start(t);
  const server = await startEcho(t);
  const { httpsTransport } = await import('../../client/https-transport.ts');
  directory.register('Tunnel', { open: () => ({ transport: httpsTransport({ server }) }) });
  await hub.create(Cluster, newObject(Cluster, { name: 'west' }, { connection: { mode: 'Tunnel' } }));
  const before = await eventually(() => directory.client('west'));
  await hub.patch(Cluster, { name: 'west' }, { type: 'merge', body: { metadata: { labels: { env: 'prod' } } } });
  await hub.apply(Cluster, { metadata: { name: 'west' }, status: { version: 'v1.36.3' } }, { subresource: 'status' });
  await hub.create(Cluster, newObject(Cluster, { name: 'last' }, { connection: { mode: 'Tunnel' } }));
  await eventually(() => changes.includes('last'));
  assert.equal(directory.client('west'), before);
  assert.deepEqual(changes, ['west', 'last']);
});
