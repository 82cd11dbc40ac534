import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryJournal } from '../../store/journal.ts';
import { Store } from '../../store/store.ts';
import { Cluster } from '../cluster.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };
const target = { namespace: 'default', name: 'p' };

test('whoever asked for an end without grace is not told that nothing was there when a change was faster', async () => {
  let isSlow = false;
  const appends: (() => void)[] = [];
  const append = () => (isSlow ? new Promise<void>(resolve => appends.push(resolve)) : Promise.resolve());
  const cluster = new Cluster(await Store.open({ ...memoryJournal(), append }));
  await cluster.create({ ...pods, resource: 'namespaces' }, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' }, spec };
  const { metadata } = await cluster.create(pods, pod);
  isSlow = true;
  const deleted = cluster.delete(pods, target, { gracePeriodSeconds: 0 });
  await new Promise(setImmediate);
  const body = { status: { message: 'no node has room' } };
  const changed = cluster.patch(pods, target, { type: 'merge', body }, { subresource: 'status' });
  await new Promise(setImmediate);
  isSlow = false;
  appends.forEach(resolve => resolve());
  assert.equal((await changed).metadata.uid, metadata.uid);
  await deleted;
  assert.equal(cluster.peek(pods, 'default', 'p'), undefined);
});
