import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../test/helpers/memory-server.ts';
import { ConfigMap, Event, Namespace } from '../api/builtin-kinds.ts';
import { changesOf, requeue, runController, settled, StalledError, type Controller } from './controller.ts';
import { printControllerStats } from './controller-stats.ts';
import { eventRecorder } from './event-recorder.ts';
import { informer } from './informer.ts';
import { splitKey, type Key } from './key.ts';

async function start(t: TestContext) {
  const { client } = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
  return { client, signal: stop.signal };
}

test('looks at everything there is, then at every change', async t => {
  const { client, signal } = await start(t);
  const metadata = { namespace: 'a', name: 'source' };
  await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: '1' } });
  const maps = informer(client, ConfigMap, { signal, namespace: 'a' });
  const copier: Controller = {
    name: 'copier',
    async reconcile(key: Key) {
      const { namespace, name } = splitKey(key);
      const source = maps.get(key);
      if (!source || name !== 'source') return settled;
      await client.apply(ConfigMap, { metadata: { namespace, name: 'copy' }, data: source.data ?? {} });
      return settled;
    },
  };
  const running = runController(copier, { triggers: [changesOf(maps)], signal });
  const copied = (value: string) =>
    eventually(async () => (await client.get(ConfigMap, { namespace: 'a', name: 'copy' }))?.data?.k === value);
  await copied('1');
  await client.patch(ConfigMap, metadata, { type: 'merge', body: { data: { k: '2' } } });
  await copied('2');
  await running.idle();
  assert.ok(running.stats.results.settled >= 2);
  assert.match(printControllerStats([running.stats]), /^workqueue_depth\{name="copier",controller="copier"\} 0$/m);
});

test('how long a look takes that has not ended is told', async t => {
  const { client, signal } = await start(t);
  const maps = informer(client, ConfigMap, { signal, namespace: 'a' });
  const held = Promise.withResolvers<void>();
  const reconcile = async () => held.promise.then(() => settled);
  const running = runController({ name: 'slow', reconcile }, { triggers: [changesOf(maps)], signal });
  const told = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(printControllerStats([running.stats]))?.[1]);
  await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'a', name: 'x' } });
  await eventually(() => told('controller_runtime_active_workers') > 0);
  const seen = told('workqueue_unfinished_work_seconds');
  await eventually(() => told('workqueue_unfinished_work_seconds') > seen && told('workqueue_longest_running_processor_seconds') > seen);
  held.resolve();
  await running.idle();
  assert.equal(told('controller_runtime_active_workers'), 0);
  assert.equal(told('workqueue_unfinished_work_seconds'), 0);
});

test('a change concerns the keys of the old object as well', async t => {
  const { client, signal } = await start(t);
  const maps = informer(client, ConfigMap, { signal, namespace: 'a', labelSelector: 'team' });
  const seen: Key[] = [];
  const reconcile = async (key: Key) => {
    seen.push(key);
    return settled;
  };
  runController({ name: 'teams', reconcile }, { triggers: [changesOf(maps, obj => [obj.metadata.labels?.team ?? ''])], signal });
  const metadata = { namespace: 'a', name: 'x', labels: { team: 'red' } };
  await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  await eventually(() => seen.includes('red'));
  seen.length = 0;
  await client.patch(ConfigMap, metadata, { type: 'merge', body: { metadata: { labels: { team: 'blue' } } } });
  await eventually(() => seen.includes('blue') && seen.includes('red'));
});

test('a change that leaves the facts as they were concerns nobody', async t => {
  const { client, signal } = await start(t);
  const maps = informer(client, ConfigMap, { signal, namespace: 'a', labelSelector: 'team' });
  const seen: (string | undefined)[] = [];
  const reconcile = async (key: Key) => {
    seen.push(maps.get(key)?.data?.k);
    return settled;
  };
  const trigger = changesOf(maps, undefined, obj => obj.metadata.labels);
  const running = runController({ name: 'teams', reconcile }, { triggers: [trigger], signal });
  const metadata = { namespace: 'a', name: 'x', labels: { team: 'red' } };
  await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: '1' } });
  await eventually(() => seen.length === 1);
  await client.patch(ConfigMap, metadata, { type: 'merge', body: { data: { k: '2' } } });
  await eventually(() => maps.get('a/x')?.data?.k === '2');
  await running.idle();
  await client.patch(ConfigMap, metadata, { type: 'merge', body: { metadata: { labels: { team: 'blue' } }, data: { k: '3' } } });
  await eventually(() => seen.length === 2);
  assert.deepEqual(seen, ['1', '3']);
});

test('failures are tried again and outcomes may ask for another look', async t => {
  const { client, signal } = await start(t);
  const maps = informer(client, ConfigMap, { signal, labelSelector: 'nobody=has' });
  const calls: number[] = [];
  const reconcile = async () => {
    calls.push(calls.length);
    if (calls.length < 3) throw new Error('not yet');
    return calls.length === 3 ? requeue(1) : settled;
  };
  const running = runController({ name: 'stubborn', reconcile }, { triggers: [changesOf(maps)], signal, firstDelayMs: 1 });
  running.add('a/x');
  await eventually(() => running.stats.results.settled === 1);
  assert.deepEqual(running.stats.results, { failed: 2, requeued: 1, settled: 1, stalled: 0 });
});

test('what a person must change is not tried again until it changes', async t => {
  const { client, signal } = await start(t);
  const metadata = { namespace: 'a', name: 'x' };
  const maps = informer(client, ConfigMap, { signal, namespace: 'a' });
  const reconcile = async (key: Key) => {
    if (maps.get(key)?.data?.size === '11') throw new StalledError('TooLarge', 'size is more than 10');
    return settled;
  };
  await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { size: '11' } });
  const running = runController({ name: 'sizes', reconcile }, { triggers: [changesOf(maps)], signal, firstDelayMs: 1 });
  await eventually(() => running.stats.results.stalled === 1);
  await running.idle();
  const { settled: before } = running.stats.results;
  await client.patch(ConfigMap, metadata, { type: 'merge', body: { data: { size: '5' } } });
  await eventually(() => running.stats.results.settled === before + 1);
  assert.deepEqual([running.stats.results.stalled, running.stats.results.failed], [1, 0]);
});

test('events say what happened, once', async t => {
  const { client, signal } = await start(t);
  const metadata = { namespace: 'a', name: 'x' };
  const obj = await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const events = eventRecorder(client, { controller: 'tests', signal });
  const copied = { type: 'Normal', reason: 'Copied', action: 'Copy', note: 'Copied to "b"' } as const;
  events.record(obj, copied);
  events.record(obj, copied);
  events.record(obj, { ...copied, note: 'Copied to "c"' });
  const items = await eventually(
    async () => (await client.list(Event, { namespace: 'a' })).items,
    list => list.length >= 2,
  );
  assert.deepEqual(items.map(item => item.note).sort(), ['Copied to "b"', 'Copied to "c"']);
  assert.equal(items[0]?.regarding?.uid, obj.metadata.uid);
});
