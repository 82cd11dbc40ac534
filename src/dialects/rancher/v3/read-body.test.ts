import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { isJsonObject } from '../../../util/json.ts';
import { NormanError } from './norman-error.ts';
import { parseBody, readBody } from './read-body.ts';

test('bodies are JSON, or YAML when they say so, and nothing is an empty object', () => {
  assert.deepEqual(parseBody(Buffer.from('{"a":[1,null]}')), { a: [1, null] });
  assert.deepEqual(parseBody(Buffer.from('a: [1, x]\n'), 'application/yaml; charset=utf-8'), { a: [1, 'x'] });
  for (const empty of ['', 'null']) assert.deepEqual(parseBody(Buffer.from(empty)), {});
  for (const wrong of ['[]', '"x"', '{', 'a: b', 'username=x&password=y', '\xff'])
    assert.throws(() => parseBody(Buffer.from(wrong, 'latin1')), { status: 422, code: 'InvalidBodyContent' }, wrong);
});

test('whatever comes is an object or refused', () => {
  const type = fc.constantFrom('application/json', 'application/yaml', 'text/html', '');
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()).map(Buffer.from), type, (bytes, contentType) => {
      try {
        assert.ok(isJsonObject(parseBody(bytes, contentType)));
      } catch (error) {
        assert.ok(error instanceof NormanError && error.code === 'InvalidBodyContent', String(error));
      }
    }),
  );
});

test('a body that is too long is not read to its end', async () => {
  const long = Object.assign(Readable.from([Buffer.alloc(6), Buffer.alloc(6)]), { headers: {} }) as unknown as IncomingMessage;
  await assert.rejects(readBody(long, 10), { status: 413 });
});
