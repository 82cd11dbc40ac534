import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { KubeObject } from '../api/object.ts';
import { memoryJournal, StorageFullError } from './journal.ts';
import { DataInUseError, openSqliteJournal } from './sqlite-journal.ts';
import { RevisionConflictError, Store } from './store.ts';

const key = (name: string) => ({ resource: '/configmaps', namespace: 'default', name });
const configMap = (name: string, value: string): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default' },
  data: { value },
});
const freshFile = () => join(mkdtempSync(join(tmpdir(), 'drover-store-')), 'hub.db');

async function openStore(t: TestContext, file: string, options: { maxPages?: number } = {}): Promise<Store> {
  const store = await Store.open(await openSqliteJournal(file, options));
  t.after(() => store.close().catch(() => {}));
  return store;
}

test('what was acknowledged is there after a restart, history included', async t => {
  const file = freshFile();
  const store = await openStore(t, file);
  const first = await store.write(key('a'), configMap('a', '1'), undefined);
  const second = await store.write(key('a'), configMap('a', '2'), first);
  await store.write(key('b'), configMap('b', '1'), undefined);
  await store.write(key('b'), undefined, store.getHead(key('b')));
  await store.close();

  const again = await openStore(t, file);
  assert.deepEqual(again.get(key('a'))?.obj.data, { value: '2' });
  assert.equal(again.get(key('a'))?.obj.metadata.resourceVersion, String(second.revision));
  assert.equal(again.get(key('b')), undefined);
  assert.deepEqual(
    again.history.since('/configmaps', first.revision)?.map(e => [e.type, e.entry.name]),
    [
      ['MODIFIED', 'a'],
      ['ADDED', 'b'],
      ['DELETED', 'b'],
    ],
  );
  const next = await again.write(key('c'), configMap('c', '1'), undefined);
  assert.ok(next.revision > second.revision + 2);
});

test('a writer that has not seen the newest version is refused', async t => {
  const store = await openStore(t, freshFile());
  const first = await store.write(key('a'), configMap('a', '1'), undefined);
  const racing = store.write(key('a'), configMap('a', '2'), first);
  await assert.rejects(store.write(key('a'), configMap('a', '3'), first), RevisionConflictError);
  await assert.rejects(store.write(key('a'), configMap('a', '4'), undefined), RevisionConflictError);
  await racing;
  assert.deepEqual(store.get(key('a'))?.obj.data, { value: '2' });
});

test('readers see a write only when it is durable, the next writer sees it at once', async t => {
  const store = await openStore(t, freshFile());
  const created = store.write(key('a'), configMap('a', '1'), undefined);
  assert.equal(store.get(key('a')), undefined);
  const head = store.getHead(key('a'));
  assert.ok(head);
  const deleted = store.write(key('a'), undefined, head);
  const recreated = store.write(key('a'), configMap('a', '2'), undefined);
  await Promise.all([created, deleted, recreated]);
  assert.deepEqual(store.get(key('a'))?.obj.data, { value: '2' });
  assert.equal(store.getHead(key('a')), store.get(key('a')));
});

test('compaction forgets what nobody can ask for and keeps the present', async t => {
  const file = freshFile();
  const store = await openStore(t, file);
  let last = await store.write(key('a'), configMap('a', '0'), undefined);
  for (let i = 1; i < 50; i++) last = await store.write(key('a'), configMap('a', String(i)), last);
  store.history.compactTo(last.revision);
  assert.equal(store.history.since('/configmaps', 1), undefined);
  assert.deepEqual(store.history.since('/configmaps', last.revision), []);
  store.compact();
  await store.close();

  const rows: number[] = [];
  const journal = await openSqliteJournal(file);
  await journal.load(loaded => rows.push(...loaded.map(r => r.revision)));
  await journal.close();
  assert.deepEqual(rows, [last.revision]);
});

test('a full disk refuses writes, goes on reading, and heals when history is forgotten', async t => {
  const store = await openStore(t, freshFile(), { maxPages: 400 });
  const big = 'x'.repeat(200_000);
  let last = await store.write(key('a'), configMap('a', big), undefined);
  await assert.rejects(async () => {
    for (;;) last = await store.write(key('a'), configMap('a', big), last);
  }, StorageFullError);
  assert.equal(store.get(key('a')), last);
  assert.equal(store.getHead(key('a')), last);

  store.history.compactTo(store.revision);
  const healed = await store.write(key('a'), configMap('a', 'small'), last);
  assert.ok(healed.revision > last.revision);
});

test('a second process is kept away from the file', async t => {
  const file = freshFile();
  await openStore(t, file);
  await assert.rejects(openSqliteJournal(file), DataInUseError);
});

test('what is being written can be waited for, until it is there or was refused', async () => {
  const appends: { resolve(): void; reject(error: Error): void }[] = [];
  const append = () => new Promise<void>((resolve, reject) => appends.push({ resolve, reject }));
  const store = await Store.open({ ...memoryJournal(), append });
  const writing = [store.write(key('a'), configMap('a', '1'), undefined), store.write(key('b'), configMap('b', '1'), undefined)];
  const seen: string[] = [];
  const [a, b] = ['a', 'b'].map(name => store.settled(key(name)).then(() => seen.push(name)));
  await store.settled(key('nobody'));
  assert.deepEqual(seen, []);
  appends[0]!.resolve();
  await a;
  assert.deepEqual([seen, store.get(key('a'))?.obj.data], [['a'], { value: '1' }]);
  appends[1]!.reject(new StorageFullError('full'));
  await b;
  assert.equal(store.getHead(key('b')), undefined);
  await Promise.allSettled(writing);
});
