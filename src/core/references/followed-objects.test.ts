import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import type { ObjectListener } from '../delivery/member-watches.ts';
import { followedObjects } from './followed-objects.ts';

const ref = { group: '', version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
const settings = (data: Record<string, string>): KubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' }, data }) as KubeObject;

/** One object that changes when it is told to. */
function startWorld(first: KubeObject | undefined) {
  const listeners = new Set<ObjectListener>();
  const heard: string[] = [];
  const watches = {
    follow(_: unknown, listener: ObjectListener) {
      listeners.add(listener);
      queueMicrotask(() => listener(first));
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
  const change = (obj: KubeObject | undefined) => listeners.forEach(listener => listener(obj));
  return { followed: followedObjects(watches, user => heard.push(user)), change, heard, listeners };
}

test('users hear of changes, each of those that matter to it', async t => {
  const { followed, change, heard } = startWorld(settings({ a: '1', b: '1' }));
  const dataOf = (obj: KubeObject | undefined) => (obj as { data?: Record<string, string> } | undefined)?.data ?? {};
  assert.deepEqual(dataOf(await followed.read(ref, 'all', t.signal)), { a: '1', b: '1' });
  await followed.read(ref, 'only a', t.signal, (old, now) => dataOf(old)['a'] !== dataOf(now)['a']);
  change(settings({ a: '1', b: '2' }));
  assert.deepEqual(heard.splice(0), ['all']);
  change(settings({ a: '2', b: '2' }));
  assert.deepEqual(heard.splice(0), ['all', 'only a']);
});

test('what nobody names any more is not followed', async t => {
  const { followed, change, heard, listeners } = startWorld(undefined);
  assert.equal(await followed.read(ref, 'one', t.signal), undefined);
  await followed.read(ref, 'two', t.signal);
  followed.keepOnly('one', []);
  change(settings({}));
  assert.deepEqual(heard, ['two']);
  followed.keepOnly('two', []);
  assert.equal(listeners.size, 0);
});
