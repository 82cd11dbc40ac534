import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { StatusError } from '../api/status.ts';
import { LineSplitter, parseEvent, readWatch } from './read-watch.ts';
import { UnreachableError } from './transport.ts';

const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const added = (name: string) => line('ADDED', { metadata: { name } });

test('lines are the same however the bytes arrive', () => {
  const texts = fc.array(
    fc
      .string({ unit: 'grapheme' })
      .map(text => text.replace(/\s/g, ''))
      .filter(text => text !== ''),
  );
  fc.assert(
    fc.property(texts, fc.array(fc.nat(40)), (lines, cuts) => {
      const bytes = Buffer.from(lines.map(text => `${text}\n`).join(''));
      const splitter = new LineSplitter();
      const found: string[] = [];
      let start = 0;
      for (const cut of [...cuts, bytes.length]) {
        const end = Math.min(bytes.length, start + cut);
        found.push(...splitter.push(bytes.subarray(start, end)));
        start = end;
      }
      found.push(...splitter.push(bytes.subarray(start)));
      assert.deepEqual(found, lines);
      assert.equal(splitter.rest(), '');
    }),
  );
});

test('a line without an end is refused within a bound', () => {
  const splitter = new LineSplitter(10);
  splitter.push(Buffer.from('12345'));
  assert.throws(() => splitter.push(Buffer.from('678901')), /a line of more than 10 bytes/);
});

test('whatever a server sends is an event or an error in words', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.record({ type: fc.string(), object: fc.anything() }).map(one => JSON.stringify(one) ?? ''),
      ),
      text => {
        try {
          const event = parseEvent(text);
          assert.ok(event.type === 'EXPIRED' || event.object.metadata);
        } catch (error) {
          assert.ok(error instanceof StatusError || /^the server sent something else than an event/.test((error as Error).message));
        }
      },
    ),
  );
});

test('events come as they are sent; an error in the stream is thrown, and a lost past is told', async () => {
  const read = (...lines: string[]) => Array.fromAsync(readWatch(Readable.from([Buffer.from(lines.join(''))]), 1000));
  assert.deepEqual(await read(added('a'), line('BOOKMARK', { metadata: { resourceVersion: '7' } })), [
    { type: 'ADDED', object: { metadata: { name: 'a' } } },
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: '7' } } },
  ]);
  assert.deepEqual(await read(line('ERROR', { kind: 'Status', code: 410 })), [{ type: 'EXPIRED' }]);
  await assert.rejects(read(line('ERROR', { kind: 'Status', code: 500, message: 'sorry' })), /sorry/);
  await assert.rejects(read('{"type":"ADDED","obj'), UnreachableError);
});

test('silence is noticed, but not while the reader is busy', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const body = new Readable({ read() {} });
  body.push(added('a'));
  const events = readWatch(body, 20_000);
  assert.equal((await events.next()).value?.type, 'ADDED');
  t.mock.timers.tick(60_000);
  body.push(added('b'));
  assert.equal((await events.next()).value?.type, 'ADDED', 'what came meanwhile');
  const waiting = events.next();
  await new Promise(setImmediate);
  t.mock.timers.tick(20_000);
  const isSilence = (error: Error) => error instanceof UnreachableError && /silent for 20 s/.test((error.cause as Error).message);
  await assert.rejects(waiting, isSilence);
  assert.ok(body.destroyed);
});

test('a reader that leaves closes the stream', async () => {
  const body = new Readable({ read() {} });
  body.push(added('a'));
  for await (const _event of readWatch(body, 1000)) break;
  assert.ok(body.destroyed);
});
