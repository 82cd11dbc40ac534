import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forbiddenError } from '../../api/status.ts';
import type { GroupVersionResource } from '../../api/object.ts';
import type { DeleteOptions } from '../cluster-api.ts';
import { eventually, FakeClusterApi, fakeResource } from '../../../test/helpers/fake-cluster-api.ts';
import type { NamespaceCondition } from './namespace-conditions.ts';
import { namespaceController } from './namespace-controller.ts';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const widgets = fakeResource('example.com/v1', 'widgets', 'Widget', { isCustom: true });

async function start(t: { after(fn: () => void): void }, api = new FakeClusterApi(widgets)) {
  const controller = namespaceController(api);
  t.after(() => controller[Symbol.dispose]());
  await api.add({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'a' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
  return { api, controller };
}

const conditions = (api: FakeClusterApi) =>
  Object.fromEntries(
    ((api.peek(namespaces, '', 'a')?.['status'] as { conditions?: NamespaceCondition[] })?.conditions ?? []).map(c => [
      c.type,
      `${c.status} ${c.reason}: ${c.message}`,
    ]),
  );

test('a deleted namespace goes away with everything in it', async t => {
  const { api } = await start(t);
  await api.add({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'a' } });
  await api.add({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'a' } });
  await api.add({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'b' } });

  await api.delete(namespaces, { namespace: '', name: 'a' });

  await eventually(
    () => api.peek(namespaces, '', 'a'),
    ns => ns === undefined,
  );
  assert.deepEqual([api.count(configMaps, 'a'), api.count(widgets, 'a'), api.count(configMaps, 'b')], [0, 0, 1]);
});

test('finalizers of contents are waited for and named in conditions', async t => {
  const { api } = await start(t);
  for (const name of ['c', 'd'])
    await api.add({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'a', finalizers: ['example.com/hold'] } });
  await api.delete(namespaces, { namespace: '', name: 'a' });

  const waiting = await eventually(
    () => conditions(api),
    c => 'NamespaceFinalizersRemaining' in c,
  );
  assert.deepEqual(waiting, {
    NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
    NamespaceDeletionGroupVersionParsingFailure: 'False ParsedGroupVersions: All legacy kube types successfully parsed',
    NamespaceDeletionContentFailure: 'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
    NamespaceContentRemaining: 'True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource instances',
    NamespaceFinalizersRemaining:
      'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances',
  });

  for (const name of ['c', 'd'])
    await api.patch(configMaps, { namespace: 'a', name }, { type: 'merge', body: { metadata: { finalizers: null } } });
  await eventually(
    () => api.peek(namespaces, '', 'a'),
    ns => ns === undefined,
  );
});

test('other contents stay while pods remain', async t => {
  const { api, controller } = await start(t);
  await api.add({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'a', finalizers: ['example.com/hold'] } });
  await api.add({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'a' } });
  await api.delete(namespaces, { namespace: '', name: 'a' });
  await controller.idle();
  assert.equal(api.count(configMaps, 'a'), 1);

  await api.patch(
    { group: '', version: 'v1', resource: 'pods' },
    { namespace: 'a', name: 'p' },
    { type: 'merge', body: { metadata: { finalizers: null } } },
  );
  await eventually(
    () => api.peek(namespaces, '', 'a'),
    ns => ns === undefined,
  );
});

test('a refused delete is reported and tried again', async t => {
  class Refusing extends FakeClusterApi {
    refuses = true;
    override async delete(gvr: GroupVersionResource, target: { namespace: string; name: string }, options?: DeleteOptions): Promise<void> {
      if (this.refuses && gvr.resource === 'configmaps') throw forbiddenError(gvr, target.name, 'no');
      return super.delete(gvr, target, options);
    }
  }
  const refusing = new Refusing();
  const { api } = await start(t, refusing);
  await api.add({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'a' } });
  await api.delete(namespaces, { namespace: '', name: 'a' });
  const failing = await eventually(
    () => conditions(api),
    c => 'NamespaceDeletionContentFailure' in c,
  );
  assert.equal(
    failing['NamespaceDeletionContentFailure'],
    'True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: configmaps "c" is forbidden: no',
  );
  refusing.refuses = false;
  await eventually(
    () => api.peek(namespaces, '', 'a'),
    ns => ns === undefined,
  );
});
