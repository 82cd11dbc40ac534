import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { CustomResourceDefinition } from '../../api/builtin-kinds.ts';
import { Content, contentName, contentTypes } from '../../api/content.ts';
import { newObject } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { digestOf } from '../../sources/digest.ts';
import { maxPartBytes } from './content-bounds.ts';
import { lastPut, putAnnotation } from './last-put.ts';
import { putContent } from './put-content.ts';
import { ContentMissingError, readContent } from './read-content.ts';

const type = contentTypes.manifests;

async function start(t: TestContext) {
  const { client } = await startMemoryServer(t);
  await client.create(CustomResourceDefinition, Content.definition() as KubeObject & CustomResourceDefinition);
  await eventually(() => client.list(Content).then(() => true));
  return client;
}

test('bytes come back as they were put, and twice is once', async t => {
  const hub = await start(t);
  const bytes = Buffer.from('a: 1\n');
  const digest = await putContent(hub, bytes, { type });
  assert.equal(digest, digestOf(bytes));
  assert.equal(await putContent(hub, bytes, { type }), digest);
  assert.deepEqual(await readContent(hub, digest), bytes);
  assert.equal((await hub.list(Content)).items.length, 1);
});

test('nothing is bytes as well', async t => {
  const hub = await start(t);
  const digest = await putContent(hub, new Uint8Array(), { type });
  assert.equal((await readContent(hub, digest)).length, 0);
});

test('what is too much for one object lies in parts', async t => {
  const hub = await start(t);
  const bytes = randomBytes(2 * maxPartBytes + 1);
  const digest = await putContent(hub, bytes, { type });
  const whole = await hub.get(Content, { name: contentName(digest) });
  assert.equal(whole?.spec.parts?.length, 3);
  assert.equal(whole.spec.data, undefined);
  assert.ok((await readContent(hub, digest)).equals(bytes));
});

test('many who read at once get the same bytes, and one who gives up leaves the others alone', async t => {
  const hub = await start(t);
  const digest = await putContent(hub, randomBytes(100), { type });
  const stop = new AbortController();
  const left = readContent(hub, digest, { signal: stop.signal });
  const others = [readContent(hub, digest), readContent(hub, digest)];
  stop.abort(new Error('enough'));
  await assert.rejects(left, /enough/);
  const [a, b] = await Promise.all(others);
  assert.equal(a, b);
});

test('what is missing and what is damaged is told apart', async t => {
  const hub = await start(t);
  const digest = digestOf('right');
  await assert.rejects(readContent(hub, digest), ContentMissingError);
  const data = Buffer.from('wrong').toString('base64');
  await hub.create(Content, newObject(Content, { name: contentName(digest) }, { type, digest, sizeBytes: 5, data }));
  await assert.rejects(readContent(hub, digest), /damaged/);
});

test('a Content that has itself as its part ends in an error', async t => {
  const hub = await start(t);
  const digest = digestOf('x');
  const name = contentName(digest);
  await hub.create(Content, newObject(Content, { name }, { type, digest, sizeBytes: 1, parts: [name] }));
  await assert.rejects(readContent(hub, digest), /is a part and has parts/);
});

test('putting old bytes again makes them young', () => {
  const at = (created: string, annotations?: Record<string, string>) =>
    lastPut({ metadata: { creationTimestamp: created, ...(annotations && { annotations }) } } as Content).toISOString();
  assert.equal(at('2026-01-01T00:00:00Z'), '2026-01-01T00:00:00.000Z');
  assert.equal(at('2026-01-01T00:00:00Z', { [putAnnotation]: '2026-01-02T00:00:00Z' }), '2026-01-02T00:00:00.000Z');
  assert.equal(at('2026-01-01T00:00:00Z', { [putAnnotation]: 'nonsense' }), '2026-01-01T00:00:00.000Z');
});
