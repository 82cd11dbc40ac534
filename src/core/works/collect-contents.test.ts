import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { Namespace } from '../../api/builtin-kinds.ts';
import { Content, contentTypes, storedChartLabel } from '../../api/content.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import { informer } from '../../runtime/informer.ts';
import { maxPartBytes } from '../contents/content-bounds.ts';
import { putContent } from '../contents/put-content.ts';
import { readContent } from '../contents/read-content.ts';
import { runContentCollector } from './collect-contents.ts';
import { workRevisions } from './keep-history.ts';
import { workIndexes } from './work-indexes.ts';

const type = contentTypes.manifests;

test('deletes what nothing names and is old enough, with its parts, and nothing else', async t => {
  const { client: hub } = await startMemoryHub(t, [Work, Content]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'c-m-1' } });
  const large = randomBytes(maxPartBytes + 10);
  const named = await putContent(hub, large, { type });
  await putContent(hub, randomBytes(maxPartBytes + 20), { type });
  await putContent(hub, Buffer.from('pushed'), { type, labels: { [storedChartLabel]: 'web' } });
  await hub.create(Work, newObject(Work, { name: 'a', namespace: 'c-m-1' }, { release: { name: 'a', namespace: 'x' }, content: named }));
  const works = informer(hub, Work, { signal, indexes: workIndexes });
  const revisions = workRevisions(hub, { signal, onError: error => assert.fail(String(error)) });
  const count = async () => (await hub.list(Content)).items.length;
  assert.equal(await count(), 7);

  const young = runContentCollector({ hub, works, revisions, signal, delayMs: 0 });
  await young.idle();
  assert.equal(await count(), 7, 'all are young');

  runContentCollector({ hub, works, revisions, signal, delayMs: 0, graceMs: 0 });
  // The one that is named has two parts; the other one goes with its own.
  await eventually(count, left => left === 4);
  assert.ok((await readContent(hub, named)).equals(large));

  await hub.delete(Work, { namespace: 'c-m-1', name: 'a' });
  await eventually(count, left => left === 1);
  assert.ok((await hub.list(Content)).items[0]?.metadata.labels?.[storedChartLabel]);
});
