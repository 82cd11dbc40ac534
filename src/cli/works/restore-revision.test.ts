import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { StatusError } from '../../api/status.ts';
import { Work, workAnnotations } from '../../api/work.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { sourceDigest, wantedContent } from '../../core/sources/wanted-content.ts';
import type { Json, JsonObject } from '../../util/json.ts';
import { patchTo } from './restore-revision.ts';

const release = { name: 'web', namespace: 'shop' };
const content = (letter: string) => `sha256:${letter.repeat(64)}`;

test('what a revision has comes back, what it has not goes, and the rest stays', async t => {
  const { client } = await startMemoryHub(t, [Work]);
  const before: Work['spec'] = { release, kustomization: { content: content('a'), path: 'prod' }, options: { history: 3 } };
  const created = await client.create(Work, newObject(Work, { name: 'web', namespace: 'default' }, { ...before, priority: 7 }));
  const { release: _, priority: _priority, ...kept } = created.spec;
  const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }];
  const changed = await client.update(Work, {
    ...created,
    spec: { release, priority: 9, manifests: manifests as never, options: { wait: false } },
  });
  const patch = patchTo(kept as unknown as JsonObject, changed);
  const restored = await client.patch(Work, { namespace: 'default', name: 'web' }, { type: 'json', body: patch as Json });
  assert.deepEqual(restored.spec.kustomization, before.kustomization);
  assert.deepEqual(restored.spec.options, created.spec.options);
  assert.equal(restored.spec.manifests, undefined);
  assert.equal(restored.spec.priority, 9);
  assert.deepEqual(patchTo(kept as unknown as JsonObject, restored), []);
});

test('a Work that somebody else has changed meanwhile is not touched', async t => {
  const { client } = await startMemoryHub(t, [Work]);
  const work = await client.create(
    Work,
    newObject(Work, { name: 'web', namespace: 'default' }, { release, chart: { content: content('a') } }),
  );
  const patch = patchTo({ chart: { content: content('b') } }, work);
  await client.patch(Work, { namespace: 'default', name: 'web' }, { type: 'merge', body: { spec: { suspend: true } } });
  await assert.rejects(
    client.patch(Work, { namespace: 'default', name: 'web' }, { type: 'json', body: patch as Json }),
    (error: unknown) => error instanceof StatusError && error.code === 422,
  );
});

test('the bytes of then are meant, also where the source gives others today', () => {
  const chart = { name: 'web', repository: 'https://charts.example.com', version: '^1', content: content('b') };
  const source = { form: 'chart' as const, repository: chart.repository, name: 'web', version: '^2', secretName: undefined };
  const annotations = { [workAnnotations.contentOf]: sourceDigest(source) };
  const work = newObject(Work, { name: 'web', annotations, resourceVersion: '5' }, { release, chart: { ...chart, version: '^2' } });
  const old = { ...chart, content: content('a') };
  const annotation = patchTo({ chart: old }, work).at(-1)!;
  assert.equal(annotation['path'], '/metadata/annotations/drover.io~1content-of');
  const restored = newObject(
    Work,
    { name: 'web', annotations: { [workAnnotations.contentOf]: annotation['value'] as string } },
    { release, chart: old },
  );
  assert.deepEqual(wantedContent(restored), { digest: content('a') });
});
