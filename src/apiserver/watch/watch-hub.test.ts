import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryCluster, type MemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { plainForm } from '../representation.ts';
import { parseSelection } from '../verbs/selection.ts';
import { Watcher, type WatchSink } from './watcher.ts';

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };

/** A reader that takes chunks, and now and then does not. */
class TestSink implements WatchSink {
  readonly chunks: Buffer[] = [];
  isEnded = false;
  #isSlow = false;
  #drain: () => void = () => {};

  write(chunk: Buffer): boolean {
    this.chunks.push(chunk);
    return !this.#isSlow;
  }

  drained(): Promise<void> {
    return this.#isSlow ? new Promise(resolve => (this.#drain = resolve)) : Promise.resolve();
  }

  end(): void {
    this.isEnded = true;
  }

  setSlow(isSlow: boolean): void {
    this.#isSlow = isSlow;
    if (!isSlow) this.#drain();
  }

  events(): string[] {
    const lines = Buffer.concat(this.chunks).toString().split('\n').slice(0, -1);
    return lines
      .map(line => JSON.parse(line) as { type: string; object: { metadata: { name: string; resourceVersion: string } } })
      .map(({ type, object: { metadata } }) => `${type} ${metadata.name} ${metadata.resourceVersion}`);
  }
}

function watch(cluster: MemoryCluster, namespace: string, query: Record<string, string> = {}): TestSink {
  const resource = cluster.resourceOf(configMaps);
  const sink = new TestSink();
  const selection = parseSelection(resource, namespace, new URLSearchParams(query));
  const options = {
    sinceRevision: cluster.store.revision,
    sendInitialEvents: false,
    allowBookmarks: false,
    timeoutMs: 600_000,
    atLeastRevision: 0,
  };
  const watcher = new Watcher(cluster.watches, resource, selection, { form: plainForm, encoding: 'json' }, options, sink);
  watcher.start();
  return sink;
}

const put = (cluster: MemoryCluster, namespace: string, name: string, labels: Record<string, string> = {}) =>
  cluster.put({ ...configMaps, metadata: { namespace, name, labels }, data: { k: crypto.randomUUID() } });

test('what is committed together is written once, and watchers of the same objects share the bytes', async t => {
  const cluster = await startMemoryCluster({ namespaces: ['a'] });
  t.after(() => cluster[Symbol.dispose]());
  const sinks = [watch(cluster, ''), watch(cluster, ''), watch(cluster, 'a')];
  await put(cluster, 'a', 'first');
  cluster.watches.deliver();
  // Those that come soon after wait for each other.
  await Promise.all(['x', 'y', 'z'].map(name => put(cluster, 'a', name)));
  cluster.watches.deliver();
  const [one, two, three] = sinks as [TestSink, TestSink, TestSink];
  assert.equal(one.events().length, 4);
  assert.deepEqual(two.events(), one.events());
  assert.deepEqual(three.events(), one.events());
  assert.ok(one.chunks.length < 4, `${one.chunks.length} writes for 4 events`);
  assert.equal(two.chunks.at(-1), one.chunks.at(-1), 'the same buffer, not an equal one');
});

test('a resource that ends ends its watchers after what they are owed', async t => {
  const cluster = await startMemoryCluster({ namespaces: ['a'] });
  t.after(() => cluster[Symbol.dispose]());
  const sink = watch(cluster, '');
  await put(cluster, 'a', 'x');
  await put(cluster, 'a', 'y');
  cluster.watches.endAll('/configmaps');
  assert.equal(sink.events().length, 2);
  assert.ok(sink.isEnded);
});

test('a watcher who cannot be told ends, and only that one', async t => {
  const errors: unknown[] = [];
  const cluster = await startMemoryCluster({ namespaces: ['a'], onError: (_what, error) => errors.push(error) });
  t.after(() => cluster[Symbol.dispose]());
  const [broken, whole] = [watch(cluster, ''), watch(cluster, '')];
  broken.write = () => {
    throw new RangeError('offset is out of bounds');
  };
  await put(cluster, 'a', 'x');
  await put(cluster, 'a', 'y');
  cluster.watches.deliver();
  assert.ok(broken.isEnded);
  assert.equal(whole.events().length, 2);
  assert.ok(!whole.isEnded);
  assert.match(String(errors), /out of bounds/);
});

type Step =
  | { readonly kind: 'put' | 'delete'; readonly ns: string; readonly name: string; readonly app: string }
  | { readonly kind: 'slow' | 'quick'; readonly reader: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom('put', 'put', 'delete'),
        ns: fc.constantFrom('a', 'b'),
        name: fc.constantFrom('p', 'q', 'r'),
        app: fc.constantFrom('x', 'y'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('slow', 'quick'), reader: fc.nat(3) }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 5, maxLength: 60 },
);

test('quick and slow readers see the same events in the same order, each once', async t => {
  const cluster = await startMemoryCluster({ namespaces: ['a', 'b'] });
  t.after(() => cluster[Symbol.dispose]());
  await fc.assert(
    fc.asyncProperty(steps, async script => {
      for (const obj of cluster.peekAll({ group: '', resource: 'configmaps' })) await cluster.remove(obj);
      const witness = watch(cluster, '');
      const readers = [watch(cluster, ''), watch(cluster, 'a'), watch(cluster, '', { labelSelector: 'app=x' }), watch(cluster, 'b')];
      for (const step of script) await perform(cluster, step, readers);
      for (const reader of readers) reader.setSlow(false);
      cluster.watches.deliver();
      const expected = [witness.events(), eventsIn(witness, 'a'), undefined, eventsIn(witness, 'b')];
      for (const [i, events] of expected.entries()) {
        if (events) await eventually(() => readers[i]!.events().length >= events.length, Boolean, { everyMs: 1 });
        if (events) assert.deepEqual(readers[i]!.events(), events);
      }
      await eventually(() => isLast(readers[2]!, cluster), Boolean, { everyMs: 1 });
      cluster.watches.endAll();
    }),
    { numRuns: 60 },
  );
});

async function perform(cluster: MemoryCluster, step: Step, readers: readonly TestSink[]): Promise<void> {
  if ('reader' in step) return readers[step.reader]!.setSlow(step.kind === 'slow');
  const { ns, name, app } = step;
  if (step.kind === 'put') await put(cluster, ns, name, { app });
  else if (cluster.peek({ group: '', resource: 'configmaps' }, ns, name))
    await cluster.remove({ ...configMaps, metadata: { namespace: ns, name } });
}

function eventsIn(sink: TestSink, namespace: string): string[] {
  const lines = Buffer.concat(sink.chunks).toString().split('\n').slice(0, -1);
  return sink
    .events()
    .filter((_, i) => (JSON.parse(lines[i]!) as { object: { metadata: { namespace: string } } }).object.metadata.namespace === namespace);
}

/** Whether following the events of a selection gives exactly what is selected now. */
function isLast(sink: TestSink, cluster: MemoryCluster): boolean {
  const present = new Map<string, string>();
  for (const line of Buffer.concat(sink.chunks).toString().split('\n').slice(0, -1)) {
    const { type, object } = JSON.parse(line) as {
      type: string;
      object: { metadata: { namespace: string; name: string; resourceVersion: string } };
    };
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    if (type === 'DELETED') present.delete(key);
    else present.set(key, object.metadata.resourceVersion);
  }
  const truth = cluster.peekAll({ group: '', resource: 'configmaps' }).filter(obj => obj.metadata.labels?.app === 'x');
  return (
    truth.length === present.size &&
    truth.every(({ metadata }) => present.get(`${metadata.namespace}/${metadata.name}`) === metadata.resourceVersion)
  );
}
