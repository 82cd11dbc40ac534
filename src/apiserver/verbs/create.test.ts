import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryJournal, StorageFullError } from '../../store/journal.ts';
import { Store } from '../../store/store.ts';
import { Cluster } from '../cluster.ts';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const namespace = () => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });

/** A cluster whose disk does nothing until it is told. */
async function startWithSlowDisk() {
  const appends: { resolve(): void; reject(error: Error): void }[] = [];
  const append = () => new Promise<void>((resolve, reject) => appends.push({ resolve, reject }));
  const cluster = new Cluster(await Store.open({ ...memoryJournal(), append }));
  return { cluster, appends };
}

test('whoever hears that an object exists can read it', async () => {
  const { cluster, appends } = await startWithSlowDisk();
  const first = cluster.create(namespaces, namespace());
  const second = cluster.create(namespaces, namespace()).then(
    () => assert.fail('made twice'),
    (error: { reason: string }) => [error.reason, cluster.peek(namespaces, '', 'a')?.metadata.name],
  );
  await new Promise(setImmediate);
  appends.shift()!.resolve();
  await first;
  assert.deepEqual(await second, ['AlreadyExists', 'a']);
});

test('an object that could not be written is no obstacle to the next', async () => {
  const { cluster, appends } = await startWithSlowDisk();
  const first = cluster.create(namespaces, namespace());
  const second = cluster.create(namespaces, namespace());
  first.catch(() => {});
  await new Promise(setImmediate);
  appends.shift()!.reject(new StorageFullError('full'));
  await assert.rejects(first);
  await new Promise(setImmediate);
  appends.shift()!.resolve();
  assert.equal((await second).metadata.name, 'a');
});

test('whoever hears that an object is as wanted already can read it', async () => {
  const { cluster, appends } = await startWithSlowDisk();
  const labelled = () => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', labels: { of: 'tester' } } });
  const apply = () =>
    cluster.patch(namespaces, { namespace: '', name: 'a' }, { type: 'apply', body: labelled() }, { fieldManager: 'tester' });
  const first = apply();
  await new Promise(setImmediate);
  const seen = apply().then(() => cluster.peek(namespaces, '', 'a')?.metadata.name);
  await new Promise(setImmediate);
  appends.shift()!.resolve();
  await first;
  assert.equal(await seen, 'a');
});
