import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../api/object.ts';
import { memoryJournal, type Journal, type JournalRow } from './journal.ts';
import { StoreBase, type Birth } from './store-base.ts';
import { Store } from './store.ts';

const key = (name: string) => ({ resource: '/configmaps', namespace: 'default', name });
const configMap = (name: string, uid: string, owner?: string): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: {
    name,
    namespace: 'default',
    uid,
    creationTimestamp: '1970-01-01T00:00:00Z',
    ...(owner !== undefined && { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: owner }] }),
  },
});
const uuid = (digit: string) => `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;
const birth = (byte: number): Birth => ({ seed: new Uint8Array(16).fill(byte), bornAt: '2026-11-16T08:00:00Z' });

async function base(uids: readonly [string, string] = [uuid('1'), uuid('2')]): Promise<StoreBase> {
  const store = await Store.open(memoryJournal());
  await store.write(key('b'), configMap('b', uids[1], uids[0]), undefined);
  await store.write(key('a'), configMap('a', uids[0]), undefined);
  return StoreBase.fromStore(store, () => true);
}

const open = async (objects: StoreBase, byte = 7, journal = memoryJournal()) =>
  Store.open(journal, { base: { objects, birth: birth(byte) } });

/** Remembers rows as a file does, so that a second store can go on. */
function rememberingJournal(): Journal {
  const rows: JournalRow[] = [];
  return {
    load(onRows) {
      onRows([...rows]);
      return Promise.resolve({ compactedRevision: 0 });
    },
    append: batch => Promise.resolve(void rows.push(...batch.rows)),
    close: () => Promise.resolve(),
  };
}

test('every store sees the objects of its base with ids and a time of its own', async () => {
  const objects = await base();
  const [one, other] = [await open(objects, 7), await open(objects, 8)];
  const [a, b] = [one.get(key('a'))!.obj, one.get(key('b'))!.obj];
  assert.equal(a.metadata.creationTimestamp, '2026-11-16T08:00:00Z');
  assert.match(a.metadata.uid!, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(b.metadata.ownerReferences?.[0]?.uid, a.metadata.uid);
  assert.notEqual(a.metadata.uid, b.metadata.uid);
  assert.notEqual(a.metadata.uid, other.get(key('a'))!.obj.metadata.uid);
});

test('the same objects make the same base, whatever their ids and the order of writing were', async () => {
  const [one, other] = [await base(), await base([uuid('3'), uuid('4')])];
  assert.equal(one.digest, other.digest);
  assert.equal(StoreBase.parse(one.print()).digest, one.digest);
});

test('a write changes the store alone, and is there with the rest of the base after a restart', async () => {
  const objects = await base();
  const journal = rememberingJournal();
  const store = await open(objects, 7, journal);
  const uid = store.get(key('b'))!.obj.metadata.uid;
  assert.deepEqual([...store.written], []);
  const changed = await store.write(key('a'), { ...store.get(key('a'))!.obj, data: { x: '1' } }, store.getHead(key('a')));
  await store.write(key('b'), undefined, store.getHead(key('b')));
  assert.equal(changed.revision, objects.revision + 1);
  assert.deepEqual([...store.written], ['/configmaps']);
  assert.equal((await open(objects, 9)).count('/configmaps'), 2);

  const again = await open(objects, 7, journal);
  assert.deepEqual(again.get(key('a'))!.obj.data, { x: '1' });
  assert.equal(again.get(key('b')), undefined);
  const events = again.history.since('/configmaps', objects.revision)!;
  assert.deepEqual(
    events.map(event => [event.type, event.previous?.obj.metadata.uid === uid]),
    [
      ['MODIFIED', false],
      ['DELETED', true],
    ],
  );
});

test('watches cannot begin before the base was there', async () => {
  const store = await open(await base());
  assert.equal(store.history.since('/configmaps', 1), undefined);
  assert.deepEqual(store.history.since('/configmaps', store.revision), []);
});

test('objects are found by a piece of their text without being made', async () => {
  const store = await open(await base());
  const found: string[] = [];
  store.forEachIncluding('/configmaps', ['"ownerReferences":'], entry => found.push(entry.name));
  store.forEachIncluding('/secrets', ['"ownerReferences":'], entry => found.push(entry.name));
  assert.deepEqual(found, ['b']);
});
