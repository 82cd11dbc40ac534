import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forbiddenError } from '../../api/status.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryCluster, type MemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import type { AdmissionPlugin } from '../admission/admission.ts';
import type { NamespaceCondition } from './namespace-conditions.ts';
import { namespaceController } from './namespace-controller.ts';

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const configMaps = { group: '', version: 'v1', resource: 'configmaps' };

async function start(t: { after(fn: () => void): void }, ...plugins: AdmissionPlugin[]) {
  const api = await startMemoryCluster({ namespaces: ['a', 'b'], plugins });
  const controller = namespaceController(api);
  t.after(() => {
    controller[Symbol.dispose]();
    api[Symbol.dispose]();
  });
  return { api, controller };
}

const conditions = (api: MemoryCluster) =>
  Object.fromEntries(
    ((api.peek(namespaces, '', 'a')?.['status'] as { conditions?: NamespaceCondition[] })?.conditions ?? []).map(c => [
      c.type,
      `${c.status} ${c.reason}: ${c.message}`,
    ]),
  );

test('a deleted namespace goes away with everything in it', async t => {
  const { api } = await start(t);
  const widgets = await api.define('example.com/v1', 'widgets', 'Widget');
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
  await api.add({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'a', finalizers: ['example.com/hold'] },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
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
  let refuses = true;
  const refusing: AdmissionPlugin = {
    name: 'Refusing',
    handles: ({ operation, resource }) => operation === 'DELETE' && resource.resource === 'configmaps',
    validate({ resource, name }) {
      if (refuses) throw forbiddenError(resource, name, 'no');
    },
  };
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
  refuses = false;
  await eventually(
    () => api.peek(namespaces, '', 'a'),
    ns => ns === undefined,
  );
});
