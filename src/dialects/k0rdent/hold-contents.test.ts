import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { Namespace } from '../../api/builtin-kinds.ts';
import { Content, contentName, contentTypes, heldContentLabel } from '../../api/content.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import { maxPartBytes } from '../../core/contents/content-bounds.ts';
import { putContent } from '../../core/contents/put-content.ts';
import { readContent } from '../../core/contents/read-content.ts';
import { runContentCollector } from '../../core/works/collect-contents.ts';
import { workRevisions } from '../../core/works/keep-history.ts';
import { workIndexes } from '../../core/works/work-indexes.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { holdContent, runHeldContents } from './hold-contents.ts';
import { ServiceTemplate } from './kinds/template.ts';
import { contentAnnotation } from './template-content.ts';

test('bytes that a template names stay, and go with it', async t => {
  const { client: hub } = await startMemoryHub(t, [Work, Content, ServiceTemplate]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  await hub.apply(Namespace, { metadata: { name: 'a' } });
  const bytes = randomBytes(maxPartBytes + 10);
  const digest = await putContent(hub, bytes, { type: contentTypes.manifests });
  await putContent(hub, Buffer.from('nobody wants this'), { type: contentTypes.manifests });
  assert.equal(await holdContent(hub, digest, signal), true);
  assert.equal(await holdContent(hub, `sha256:${'0'.repeat(64)}`, signal), false);
  const annotations = { [contentAnnotation]: digest };
  await hub.create(
    ServiceTemplate,
    newObject(ServiceTemplate, { namespace: 'a', name: 't', annotations }, { helm: { chartSpec: { chart: 'web' } } }),
  );
  const templates = informer(hub, ServiceTemplate, { signal }) as unknown as Informer;
  const held = runHeldContents({ hub, holders: [templates], signal, graceMs: 0 });
  await held.idle();

  const works = informer(hub, Work, { signal, indexes: workIndexes });
  const revisions = workRevisions(hub, { signal, onError: error => assert.fail(String(error)) });
  const collector = runContentCollector({ hub, works, revisions, signal, delayMs: 0, graceMs: 0 });
  const count = async () => (await hub.list(Content)).items.length;
  await eventually(count, left => left === 3);
  await collector.idle();
  assert.ok((await readContent(hub, digest)).equals(bytes), 'the whole and both its parts are there');

  await hub.delete(ServiceTemplate, { namespace: 'a', name: 't' });
  await eventually(
    () => hub.get(Content, { name: contentName(digest) }),
    one => one?.metadata.labels?.[heldContentLabel('k0rdent')] === undefined,
  );
});
