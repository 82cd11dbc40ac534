import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, OwnerReference } from '../../api/object.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryCluster, type MemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { garbageCollector } from './garbage-collector.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const namespaces = { group: '', version: 'v1', resource: 'namespaces' };

function configMap(name: string, owners: OwnerReference[] = [], namespace = 'a'): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, ...(owners.length > 0 && { ownerReferences: owners }) },
  };
}

function ref(owner: KubeObject, extra: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name ?? '', uid: owner.metadata.uid ?? '', ...extra };
}

const missing = (uid: string): OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid });
const names = (api: MemoryCluster, namespace = 'a') => api.peekAll(configMaps, namespace).map(o => o.metadata.name);

async function start(t: { after(fn: () => void): void }) {
  const api = await startMemoryCluster({ namespaces: ['a', 'b'] });
  const errors: unknown[] = [];
  const gc = garbageCollector(api, { onError: (_key, error) => void errors.push(error) });
  t.after(() => {
    gc[Symbol.dispose]();
    api[Symbol.dispose]();
  });
  return { api, gc, errors };
}

test('deletes the dependents of a deleted owner, three levels deep', async t => {
  const { api } = await start(t);
  const widgets = await api.define('example.com/v1', 'widgets', 'Widget');
  const top = await api.add(configMap('top'));
  const middle = await api.add(configMap('middle', [ref(top)]));
  await api.add(configMap('bottom', [ref(middle)]));
  await api.add({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'a', ownerReferences: [ref(middle)] } });

  await api.delete(configMaps, { namespace: 'a', name: 'top' }, { propagationPolicy: 'Background' });

  await eventually(
    () => [...names(api), ...api.peekAll(widgets).map(w => w.metadata.name)],
    left => left.length === 0,
  );
});

test('deletes an object created with only absent owners, and keeps one with a living owner', async t => {
  const { api, gc } = await start(t);
  const owner = await api.add(configMap('owner'));
  await api.add(configMap('lost', [missing('0')]));
  await api.add(configMap('kept', [missing('1'), ref(owner)]));

  await eventually(
    () => names(api),
    left => left.join() === 'kept,owner',
  );
  await gc.idle();
  assert.deepEqual(api.peek(configMaps, 'a', 'kept')?.metadata.ownerReferences, [ref(owner)]);
});

test('treats an owner with another uid as absent', async t => {
  const { api } = await start(t);
  const owner = await api.add(configMap('owner'));
  await api.add(configMap('child', [{ ...ref(owner), uid: 'other' }]));
  await eventually(
    () => names(api),
    left => left.join() === 'owner',
  );
});

test('deletes blocking dependents before an owner in foreground deletion', async t => {
  const { api } = await start(t);
  const owner = await api.add(configMap('owner'));
  const child = await api.add(configMap('child', [ref(owner, { blockOwnerDeletion: true })]));
  await api.add(configMap('grandchild', [ref(child, { blockOwnerDeletion: true })]));
  const order: string[] = [];
  api.subscribe(change => void (change.type === 'DELETED' && order.push(change.name)));

  await api.delete(configMaps, { namespace: 'a', name: 'owner' }, { propagationPolicy: 'Foreground' });

  await eventually(
    () => names(api),
    left => left.length === 0,
  );
  assert.deepEqual(order, ['grandchild', 'child', 'owner']);
});

test('foreground deletion waits for a blocking dependent that is held by a finalizer', async t => {
  const { api, gc } = await start(t);
  const owner = await api.add(configMap('owner'));
  const child = configMap('child', [ref(owner, { blockOwnerDeletion: true })]);
  child.metadata.finalizers = ['example.com/hold'];
  await api.add(child);

  await api.delete(configMaps, { namespace: 'a', name: 'owner' }, { propagationPolicy: 'Foreground' });
  await eventually(
    () => api.peek(configMaps, 'a', 'child')?.metadata.deletionTimestamp,
    at => at !== undefined,
  );
  await gc.idle();
  assert.deepEqual(api.peek(configMaps, 'a', 'owner')?.metadata.finalizers, ['foregroundDeletion']);

  await api.patch(configMaps, { namespace: 'a', name: 'child' }, { type: 'merge', body: { metadata: { finalizers: null } } });
  await eventually(
    () => names(api),
    left => left.length === 0,
  );
});

test('foreground deletion does not wait for a dependent that does not block, and deletes it all the same', async t => {
  const { api } = await start(t);
  const owner = await api.add(configMap('owner'));
  const child = configMap('child', [ref(owner)]);
  child.metadata.finalizers = ['example.com/hold'];
  await api.add(child);
  await api.delete(configMaps, { namespace: 'a', name: 'owner' }, { propagationPolicy: 'Foreground' });
  await eventually(
    () => names(api),
    left => left.join() === 'child',
  );
  await eventually(
    () => api.peek(configMaps, 'a', 'child')?.metadata.deletionTimestamp,
    at => at !== undefined,
  );
});

test('a cycle of blocking owners in foreground deletion ends', async t => {
  const { api } = await start(t);
  const first = await api.add(configMap('first'));
  const second = await api.add(configMap('second', [ref(first, { blockOwnerDeletion: true })]));
  await api.patch(
    configMaps,
    { namespace: 'a', name: 'first' },
    { type: 'merge', body: { metadata: { ownerReferences: [{ ...ref(second, { blockOwnerDeletion: true }) }] } } },
  );
  await api.delete(configMaps, { namespace: 'a', name: 'first' }, { propagationPolicy: 'Foreground' });
  await eventually(
    () => names(api),
    left => left.length === 0,
  );
});

test('orphan deletion leaves dependents without the owner', async t => {
  const { api } = await start(t);
  const owner = await api.add(configMap('owner'));
  const other = await api.add(configMap('other'));
  await api.add(configMap('child', [ref(owner)]));
  await api.add(configMap('shared', [ref(owner), ref(other)]));

  await api.delete(configMaps, { namespace: 'a', name: 'owner' }, { propagationPolicy: 'Orphan' });

  await eventually(
    () => names(api),
    left => left.join() === 'child,other,shared',
  );
  assert.equal(api.peek(configMaps, 'a', 'child')?.metadata.ownerReferences, undefined);
  assert.deepEqual(api.peek(configMaps, 'a', 'shared')?.metadata.ownerReferences, [ref(other)]);
});

test('an owner in another namespace is absent, and an event says so', async t => {
  const { api } = await start(t);
  const owner = await api.add(configMap('owner', [], 'b'));
  await api.add(configMap('child', [ref(owner)], 'a'));

  await eventually(
    () => names(api),
    left => left.length === 0,
  );
  const [event] = await eventually(
    () => api.peekAll({ group: '', resource: 'events' }, 'a'),
    events => events.length === 1,
  );
  assert.equal(event?.['reason'], 'OwnerRefInvalidNamespace');
  assert.equal(
    event?.['message'],
    `ownerRef [v1/ConfigMap, namespace: a, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "a"`,
  );
});

test('a cluster-scoped object with a namespaced owner is kept', async t => {
  const { api, gc, errors } = await start(t);
  const owner = await api.add(configMap('owner'));
  await api.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', ownerReferences: [ref(owner)] } });
  await api.delete(configMaps, { namespace: 'a', name: 'owner' });
  await gc.idle();
  assert.ok(api.peek(namespaces, '', 'n'));
  assert.deepEqual(errors, []);
});

test('an owner of an unknown kind keeps its dependents until the kind is served', async t => {
  const { api, errors } = await start(t);
  await api.add(configMap('child', [{ apiVersion: 'late.example.com/v1', kind: 'Late', name: 'x', uid: 'x' }]));
  await eventually(
    () => errors.length,
    count => count > 0,
  );
  assert.deepEqual(names(api), ['child']);
  await api.define('late.example.com/v1', 'lates', 'Late');
  await eventually(
    () => names(api),
    left => left.length === 0,
  );
});

test('collects what was left over from before it started', async () => {
  using api = await startMemoryCluster({ namespaces: ['a'] });
  await api.add(configMap('lost', [missing('0')]));
  using _gc = garbageCollector(api);
  await eventually(
    () => names(api),
    left => left.length === 0,
  );
});
