import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LRUCache } from 'lru-cache';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { ControllerRevision } from '../../api/builtin-kinds.ts';
import { Work, workAnnotations } from '../../api/work.ts';
import { keepHistory, type RevisionInformer } from './keep-history.ts';

test('a revision that was written and not seen yet takes no second number', async t => {
  const { client: hub } = await startMemoryHub(t, [Work]);
  const nothingSeen = { synced: Promise.resolve(), by: () => [] } as unknown as RevisionInformer;
  const numbers = new LRUCache<string, number>({ max: 10 });
  const ctx = { signal: AbortSignal.timeout(10_000), now: new Date() };
  const keep = async (sky: string) => {
    const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'colours' }, data: { sky } }];
    const spec = { release: { name: 'w', namespace: 'default' }, manifests };
    const obj = { apiVersion: 'drover.io/v1alpha1', kind: 'Work', metadata: { name: 'w', namespace: 'default' }, spec };
    const work = await hub.apply(Work, obj as unknown as Work, { fieldManager: 'ada', force: true });
    await keepHistory(work, { hub, revisions: nothingSeen, numbers }, ctx as never);
  };
  for (const sky of ['blue', 'blue', 'blue', 'grey']) await keep(sky);
  const { items } = await hub.list(ControllerRevision, { namespace: 'default' });
  assert.deepEqual(items.map(one => Number(one.revision)).toSorted(), [1, 2]);
});

test('of a Work whose owner keeps what was before, and that asks for one revision, none is written', async t => {
  const { client: hub } = await startMemoryHub(t, [Work]);
  const nothingSeen = { synced: Promise.resolve(), by: () => [] } as unknown as RevisionInformer;
  const written = async (name: string, options: object, annotations: object) => {
    const spec = { release: { name, namespace: 'default' }, manifests: [], options };
    const obj = { apiVersion: 'drover.io/v1alpha1', kind: 'Work', metadata: { name, namespace: 'default', annotations }, spec };
    const work = await hub.apply(Work, obj as unknown as Work, { fieldManager: 'ada', force: true });
    const numbers = new LRUCache<string, number>({ max: 10 });
    await keepHistory(work, { hub, revisions: nothingSeen, numbers }, { signal: AbortSignal.timeout(10_000), now: new Date() } as never);
    const { items } = await hub.list(ControllerRevision, { namespace: 'default' });
    return items.filter(one => one.metadata.name!.startsWith(`${name}-`)).length;
  };
  const owned = { [workAnnotations.owner]: 'WorkflowRun shop/web' };
  assert.equal(await written('a', { history: 1 }, owned), 0);
  assert.equal(await written('b', { history: 1 }, {}), 1);
  assert.equal(await written('c', { history: 2 }, owned), 1);
});
