import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { KubeObject } from '../api/object.ts';
import { memoryKeyspaces, type Keyspaces } from './keyspaces.ts';
import { DataInUseError } from './sqlite-journal.ts';
import { openSqliteKeyspaces } from './sqlite-keyspaces.ts';
import { Store } from './store.ts';

const key = (name: string) => ({ resource: '/configmaps', namespace: 'default', name });
const configMap = (name: string, value: string): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default' },
  data: { value },
});
const freshFile = () => join(mkdtempSync(join(tmpdir(), 'drover-keyspaces-')), 'sandboxes.db');

async function open(t: TestContext, file: string): Promise<Keyspaces> {
  const keyspaces = await openSqliteKeyspaces(file);
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await keyspaces.close();
    isClosed = true;
  };
  t.after(close);
  return { ...keyspaces, close };
}

test('stores that share a file keep to themselves and outlive a restart', async t => {
  const file = freshFile();
  const keyspaces = await open(t, file);
  const [east, west] = [await keyspaces.create('east', '{"port":1}', 's1'), await keyspaces.create('west', '{}', 's2')];
  const stores = [await Store.open(keyspaces.journal(east.id)), await Store.open(keyspaces.journal(west.id))] as const;
  await Promise.all(stores.flatMap((store, i) => ['a', 'b'].map(name => store.write(key(name), configMap(name, `${i}`), undefined))));
  await stores[1].write(key('b'), undefined, stores[1].getHead(key('b')));
  await keyspaces.close();

  const again = await open(t, file);
  assert.deepEqual(await again.list(), [east, west]);
  assert.equal(await again.secrets(west.id), 's2');
  assert.deepEqual(await again.havingMoreThan(['/pods']), [east.id, west.id]);
  assert.deepEqual(await again.havingMoreThan(['/configmaps', '/pods']), []);
  const [first, second] = [await Store.open(again.journal(east.id)), await Store.open(again.journal(west.id))];
  assert.equal(first.count('/configmaps'), 2);
  assert.deepEqual(first.get(key('a'))?.obj.data, { value: '0' });
  assert.equal(second.count('/configmaps'), 1);
  assert.deepEqual(second.get(key('a'))?.obj.data, { value: '1' });
});

test('more rows than travel at once are all loaded', async t => {
  const file = freshFile();
  const keyspaces = await open(t, file);
  const { id } = await keyspaces.create('east', '{}', '');
  const store = await Store.open(keyspaces.journal(id));
  await Promise.all(Array.from({ length: 1500 }, (_, i) => store.write(key(`n${i}`), configMap(`n${i}`, ''), undefined)));
  assert.equal((await Store.open(keyspaces.journal(id))).count('/configmaps'), 1500);
});

test('a dropped keyspace leaves nothing, and its number is not used again', async t => {
  const keyspaces = await open(t, freshFile());
  const { id } = await keyspaces.create('east', '{}', '');
  await (await Store.open(keyspaces.journal(id))).write(key('a'), configMap('a', ''), undefined);
  await keyspaces.drop(id);
  assert.deepEqual(await keyspaces.list(), []);
  assert.deepEqual(await keyspaces.havingMoreThan([]), []);
  assert.ok((await keyspaces.create('east', '{}', '')).id > id);
});

for (const [kind, make] of [
  ['file', () => openSqliteKeyspaces(freshFile())],
  ['memory', () => Promise.resolve(memoryKeyspaces())],
] as const) {
  test(`names are taken once, in ${kind}`, async t => {
    const keyspaces = await make();
    t.after(() => keyspaces.close());
    const { id } = await keyspaces.create('east', '{}', 'old');
    await assert.rejects(keyspaces.create('east', '{}', ''));
    await keyspaces.rewrite(id, '{"port":7}', 'new');
    assert.deepEqual(await keyspaces.list(), [{ id, name: 'east', facts: '{"port":7}' }]);
    assert.equal(await keyspaces.secrets(id), 'new');
    await keyspaces.writeShared('d', 'text');
    assert.equal(await keyspaces.readShared('d'), 'text');
    assert.equal(await keyspaces.readShared('e'), undefined);
  });
}

test('a second process is kept away from the file', async t => {
  const file = freshFile();
  await open(t, file);
  await assert.rejects(openSqliteKeyspaces(file), DataInUseError);
});
