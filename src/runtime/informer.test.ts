import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../test/helpers/eventually.ts';
import { memoryClient } from '../../test/helpers/memory-client.ts';
import { startMemoryCluster } from '../../test/helpers/memory-cluster.ts';
import { ConfigMap } from '../api/builtin-kinds.ts';
import type { KindRef } from '../api/define-kind.ts';
import type { KubeObject } from '../api/object.ts';
import { StatusError } from '../api/status.ts';
import type { KubeClient, WatchEvent, WatchOptions } from '../client/kube-client.ts';
import { UnreachableError } from '../client/transport.ts';
import { informer, type InformerOptions } from './informer.ts';
import { keyOf } from './key.ts';

const quickly = { firstDelayMs: 1, maxDelayMs: 4 };

async function start(t: TestContext) {
  const cluster = await startMemoryCluster({ namespaces: ['a', 'b'] });
  const client = memoryClient(cluster);
  const stop = new AbortController();
  t.after(async () => {
    stop.abort();
    await client[Symbol.asyncDispose]();
    cluster[Symbol.dispose]();
  });
  return { cluster, client, signal: stop.signal, stop };
}

const configMap = (namespace: string, name: string, labels: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, labels },
});

test('knows what is there and what changes', async t => {
  const { client, signal } = await start(t);
  await client.create(ConfigMap, configMap('a', 'x'));
  const maps = informer(client, ConfigMap, { signal });
  await maps.synced;
  assert.equal(maps.get('a/x')?.metadata.name, 'x');

  const heard: string[] = [];
  maps.subscribe(({ type, object }) => heard.push(`${type} ${keyOf(object)}`));
  await client.create(ConfigMap, configMap('b', 'y'));
  await client.patch(ConfigMap, { namespace: 'b', name: 'y' }, { type: 'merge', body: { data: { k: 'v' } } });
  await client.delete(ConfigMap, { namespace: 'a', name: 'x' });
  await eventually(() => heard.length === 3);
  assert.deepEqual(heard, ['ADDED b/y', 'MODIFIED b/y', 'DELETED a/x']);
  assert.deepEqual(maps.list().map(keyOf), ['b/y']);
});

test('finds objects by an index that follows their changes', async t => {
  const { client, signal } = await start(t);
  const app = (obj: ConfigMap) => (obj.metadata.labels?.app === undefined ? [] : [obj.metadata.labels.app]);
  const maps = informer(client, ConfigMap, { signal, indexes: { app } });
  await client.create(ConfigMap, configMap('a', 'x', { app: 'web' }));
  await client.create(ConfigMap, configMap('a', 'y', { app: 'web' }));
  await eventually(() => maps.by('app', 'web').length === 2);
  await client.patch(ConfigMap, { namespace: 'a', name: 'x' }, { type: 'merge', body: { metadata: { labels: { app: 'db' } } } });
  await eventually(() => maps.by('app', 'db').length === 1);
  assert.deepEqual(maps.by('app', 'web').map(keyOf), ['a/y']);
  assert.throws(() => maps.by('owner', 'x'), /there is no index "owner"/);
});

test('keeps what it is told to keep', async t => {
  const { client, signal } = await start(t);
  const keep = (obj: ConfigMap): ConfigMap => ({ ...obj, data: {} });
  const maps = informer(client, ConfigMap, { signal, keep });
  await client.create(ConfigMap, { ...configMap('a', 'x'), data: { large: 'value' } });
  await eventually(() => maps.get('a/x'));
  assert.deepEqual(maps.get('a/x')?.data, {});
});

test('a server that cannot stream its state is asked for a list', async t => {
  const { client, signal } = await start(t);
  await client.create(ConfigMap, configMap('a', 'x'));
  const refusing: KubeClient = {
    ...client,
    watch: (kind, options) => (options?.sendInitialEvents ? refuse() : client.watch(kind, options)),
  };
  const maps = informer(refusing, ConfigMap, { signal, retry: quickly });
  await maps.synced;
  await client.create(ConfigMap, configMap('a', 'y'));
  await eventually(() => maps.list().length === 2);

  // eslint-disable-next-line require-yield -- it fails before there is anything to yield
  async function* refuse(): AsyncGenerator<never> {
    throw new StatusError(422, 'Invalid', 'sendInitialEvents is forbidden');
  }
});

test('says why it cannot, goes on trying, and stops when told', async t => {
  const { client, signal, stop } = await start(t);
  const errors: unknown[] = [];
  const nowhere: KindRef = { group: 'x.example.com', version: 'v1', kind: 'X', resource: 'xs', scope: 'Cluster' };
  const xs = informer(client, nowhere, { signal, retry: quickly, onError: error => errors.push(error) });
  await eventually(() => errors.length > 2);
  assert.equal(xs.hasSynced, false);
  stop.abort(new Error('stopped'));
  await assert.rejects(xs.synced, /stopped/);
});

type Fault = 'none' | 'cut' | 'expire' | 'repeat' | 'refuse';

/** The same API behind a bad network and a forgetful server. */
function faulty(client: KubeClient, faults: () => Fault): KubeClient {
  async function* watch<T extends KubeObject>(kind: KindRef<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    if (faults() === 'refuse') throw new UnreachableError('no connection');
    const past: WatchEvent<T>[] = [];
    for await (const event of client.watch(kind, options)) {
      const fault = faults();
      if (fault === 'cut') throw new UnreachableError('the watch broke off');
      if (fault === 'expire') return yield { type: 'EXPIRED' };
      yield event;
      past.push(event);
      if (fault === 'repeat' && event.type !== 'BOOKMARK') yield* past.slice(-1);
    }
  }
  return {
    ...client,
    watch,
    async list(kind, options) {
      if (faults() === 'refuse') throw new UnreachableError('no connection');
      return client.list(kind, options);
    },
  };
}

interface Write {
  readonly verb: 'put' | 'delete' | 'breathe';
  readonly name: string;
}

const writes = fc.array(
  fc.record<Write>({ verb: fc.constantFrom('put', 'put', 'delete', 'breathe'), name: fc.constantFrom('p', 'q', 'r', 's', 't') }),
  { minLength: 10, maxLength: 60 },
);
const faultsOfMany = fc.infiniteStream(fc.constantFrom<Fault>('none', 'none', 'none', 'cut', 'expire', 'repeat', 'refuse'));

test('whatever breaks on the way, the cache ends equal to the truth', async t => {
  const { cluster, client } = await start(t);
  await fc.assert(
    fc.asyncProperty(writes, faultsOfMany, async (script, faultStream) => {
      const stop = new AbortController();
      let isCalm = false;
      const faults = (): Fault => (isCalm ? 'none' : (faultStream.next().value as Fault));
      const options: InformerOptions<ConfigMap> = { signal: stop.signal, retry: quickly };
      const maps = informer(faulty(client, faults), ConfigMap, options);
      const mirror = new Map<string, string | undefined>();
      maps.subscribe(({ type, object }) => {
        if (type === 'DELETED') mirror.delete(keyOf(object));
        else mirror.set(keyOf(object), object.metadata.resourceVersion);
      });
      for (const { verb, name } of script) await perform(client, verb, name);
      isCalm = true;
      const truth = new Map(cluster.peekAll(ConfigMap).map(obj => [keyOf(obj), obj.metadata.resourceVersion]));
      const known = () => new Map(maps.list().map(obj => [keyOf(obj), obj.metadata.resourceVersion]));
      await eventually(() => isSame(known(), truth), Boolean, { everyMs: 2 });
      assert.deepEqual(new Map([...mirror].sort()), new Map([...truth].sort()));
      stop.abort();
    }),
    { numRuns: 60 },
  );
});

async function perform(client: KubeClient, verb: Write['verb'], name: string): Promise<void> {
  if (verb === 'delete') await client.delete(ConfigMap, { namespace: 'a', name });
  else if (verb === 'breathe') await new Promise(setImmediate);
  else await client.apply(ConfigMap, { metadata: { namespace: 'a', name }, data: { k: crypto.randomUUID() } });
}

function isSame(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}
