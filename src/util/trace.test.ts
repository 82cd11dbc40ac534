import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  causeOf,
  noteWrite,
  parseTraceparent,
  recordSpans,
  soughtCause,
  traceparent,
  versionName,
  whileWriting,
  withinSpan,
  withSpan,
  type Span,
} from './trace.ts';

const id = '4bf92f3577b34da6a3ce929d0e0e4736';
const header = `00-${id}-00f067aa0ba902b7-01`;

function recorded(): Span[] {
  const spans: Span[] = [];
  recordSpans(span => spans.push(span));
  return spans;
}
afterEach(() => recordSpans(undefined));

test('steps within steps are one trace, and a failure is told', async () => {
  const spans = recorded();
  await withSpan('outer', { parent: parseTraceparent(header), attributes: { a: 1 } }, async () => {
    await assert.rejects(
      withSpan('inner', { kind: 'client' }, async () => {
        await new Promise(setImmediate);
        assert.match(traceparent() ?? '', new RegExp(`^00-${id}-[0-9a-f]{16}-01$`));
        throw new Error('broken');
      }),
    );
  });
  const [inner, outer] = spans as [Span, Span];
  assert.deepEqual([inner.name, inner.kind, inner.error, inner.traceId], ['inner', 'client', 'broken', id]);
  assert.deepEqual([outer.name, outer.error, outer.parentSpanId, outer.attributes], ['outer', undefined, '00f067aa0ba902b7', { a: 1 }]);
  assert.equal(inner.parentSpanId, outer.spanId);
});

test('headers that say nothing good are not heard', () => {
  assert.deepEqual(parseTraceparent(header), { traceId: id, spanId: '00f067aa0ba902b7' });
  const bad = [
    undefined,
    '',
    'x',
    header.toUpperCase(),
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    header.replace(/01$/, '00'),
    `ff${header.slice(2)}`,
  ];
  for (const text of bad) assert.equal(parseTraceparent(text), undefined, text ?? 'none');
});

test('who acts upon a version of an object finds the step that wrote it', async () => {
  recorded();
  const written = { metadata: { uid: 'u', resourceVersion: '7' } };
  const context = await withSpan('write', {}, async () => {
    noteWrite(written);
    return traceparent();
  });
  const cause = causeOf(versionName(written));
  assert.equal(`00-${cause?.traceId}-${cause?.spanId}-01`, context);
  assert.equal(causeOf('u/8'), undefined);
});

test('a version that is seen before its write has ended is waited for', async () => {
  recorded();
  const written = { metadata: { uid: 'u', resourceVersion: '9' } };
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const write = withSpan('write', {}, () =>
    whileWriting(async () => {
      await answer;
      noteWrite(written);
    }),
  );
  const sought = soughtCause('u/9');
  resolve();
  await write;
  assert.notEqual(await sought, undefined);
  assert.equal(await soughtCause('u/10'), undefined);
});

test('without a recorder nothing is carried, and alone nothing is told', async () => {
  assert.equal(await withSpan('a', {}, async () => traceparent()), undefined);
  const spans = recorded();
  assert.equal(await withinSpan('b', {}, async () => 'done'), 'done');
  assert.deepEqual(spans, []);
});
