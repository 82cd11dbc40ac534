import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Namespace } from '../../../api/builtin-kinds.ts';
import { Content } from '../../../api/content.ts';
import { Work } from '../../../api/work.ts';
import { workIndexes } from '../../../core/works/work-indexes.ts';
import { informer } from '../../../runtime/informer.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { accessWorks } from './access-works.ts';
import { roleBinding } from './rbac-objects.ts';

const namespace = 'c-m-abcdefgh';
const name = 'rancher-project-p-shop';

async function startWorks(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [Work, Content]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const works = informer(hub, Work, { signal, indexes: workIndexes });
  await works.synced;
  const { ensure } = accessWorks(hub, works);
  const now = new Date();
  /** A binding with so many people, wanted some time after the start. */
  const want = (people: number, afterMs = 0) => {
    const subjects = Array.from({ length: people }, (_, i) => ({ kind: 'User', name: `u-${i}`.padEnd(40, 'x') }));
    const objects = people === 0 ? [] : [roleBinding('shop', 'rancher-edit', subjects, 'edit')];
    return ensure({ namespace, name, owner: 'Project p-shop', objects }, { now: new Date(now.getTime() + afterMs), signal });
  };
  const seen = (isRight: (work: Work | undefined) => boolean) => eventually(() => works.get(`${namespace}/${name}`), isRight);
  return { hub, want, seen };
}

test('few people are in the Work itself, many in a Content', async t => {
  const { hub, want, seen } = await startWorks(t);
  await want(3);
  await seen(work => work?.spec.manifests?.length === 1);
  await want(10_000, 60_000);
  const work = await seen(one => one?.spec.content !== undefined);
  assert.equal(work?.spec.manifests, undefined);
  assert.ok(await hub.get(Content, { name: work!.spec.content!.replace(':', '-') }));
});

test('a set that was just written waits a moment before it is written again, the longer the larger it is', async t => {
  const { want, seen } = await startWorks(t);
  assert.equal((await want(1_000)).requeueAfterMs, undefined);
  await seen(Boolean);
  const { requeueAfterMs = 0 } = await want(1_001);
  assert.ok(requeueAfterMs > 0);
  assert.equal((await want(1_001, requeueAfterMs)).requeueAfterMs, undefined);
});

test('what is delivered already is not written, and without people there is no Work', async t => {
  const { want, seen } = await startWorks(t);
  await want(3);
  const first = await seen(Boolean);
  await want(3, 60_000);
  assert.equal((await seen(Boolean))?.metadata.resourceVersion, first?.metadata.resourceVersion);
  await want(0);
  await seen(work => work === undefined);
});
