import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { Namespace } from '../../api/builtin-kinds.ts';
import { Cluster, clusterAnnotations } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work, workFinalizer } from '../../api/work.ts';
import { removeWorks } from './remove-works.ts';

const namespace = 'c-m-1';
const leftAt = '2026-01-01T00:00:00Z';
const at = (seconds: number) => ({ now: new Date(Date.parse(leftAt) + seconds * 1000), signal: AbortSignal.timeout(60_000) });

const leaving = (mode: 'Direct' | 'Tunnel' | 'Sandbox' | 'Local', annotations: Record<string, string> = {}): Cluster =>
  newObject(
    Cluster,
    { name: 'east', deletionTimestamp: leftAt, annotations },
    { connection: mode === 'Direct' ? { mode, server: 'https://east' } : { mode } },
  );

async function start(t: TestContext) {
  const { client } = await startMemoryHub(t, [Work]);
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const spec = { release: { name: 'web', namespace: 'shop' }, manifests: [] };
  await client.create(Work, newObject(Work, { name: 'web', namespace, finalizers: [workFinalizer] }, spec));
  const read = () => client.get(Work, { namespace, name: 'web' });
  const say = (reason: string) => {
    const conditions = [{ type: 'Removed', status: 'False' as const, reason, message: '', lastTransitionTime: leftAt }];
    return client.apply(Work, { metadata: { name: 'web', namespace }, status: { conditions } }, { subresource: 'status' });
  };
  return { client, read, say };
}

test('waits until what was delivered is gone', async t => {
  const { client, read } = await start(t);
  const removal = { cluster: leaving('Direct'), namespace, isServed: true };
  assert.equal(await removeWorks(client, removal, at(600)), false);
  assert.ok((await read())?.metadata.deletionTimestamp);
  await client.patch(Work, { namespace, name: 'web' }, { type: 'merge', body: { metadata: { finalizers: null } } });
  assert.equal(await removeWorks(client, removal, at(600)), true);
});

test('does not wait for a sandbox, nor when it is forced', async t => {
  const { client } = await start(t);
  assert.equal(await removeWorks(client, { cluster: leaving('Sandbox'), namespace, isServed: true }, at(1)), true);
  const other = await start(t);
  const forced = leaving('Direct', { [clusterAnnotations.forceRemoval]: 'true' });
  assert.equal(await removeWorks(other.client, { cluster: forced, namespace, isServed: true }, at(1)), true);
});

test('does not wait for an agent that never came', async t => {
  const { client, read } = await start(t);
  assert.equal(await removeWorks(client, { cluster: leaving('Tunnel'), namespace, isServed: false }, at(1)), true);
  assert.equal(await read(), undefined);
});

test('leaves on the hub itself what others put there', async t => {
  const { client, read } = await start(t);
  assert.equal(await removeWorks(client, { cluster: leaving('Local'), namespace, isServed: true }, at(600)), false);
  assert.equal((await read())?.metadata.deletionTimestamp, undefined);
});

test('waits a minute for a member that cannot be reached, or whose agent is away', async t => {
  const { client, say } = await start(t);
  await say('ClusterUnreachable');
  const removal = { cluster: leaving('Direct'), namespace, isServed: true };
  assert.equal(await removeWorks(client, removal, at(30)), false);
  assert.equal(await removeWorks(client, removal, at(61)), true);
  const other = await start(t);
  const away = { cluster: { ...leaving('Tunnel'), status: { lastSeen: leftAt } }, namespace, isServed: false };
  assert.equal(await removeWorks(other.client, away, at(30)), false);
  assert.equal(await removeWorks(other.client, away, at(61)), true);
});

test('a hub without the kind has no Works', async t => {
  const { client } = await startMemoryServer(t);
  assert.equal(await removeWorks(client, { cluster: leaving('Direct'), namespace, isServed: true }, at(1)), true);
});
