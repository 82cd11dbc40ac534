import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseObject } from './parse-object.ts';

test('what is no object is refused in words', () => {
  for (const text of ['', 'hello', '- a', '3']) assert.throws(() => parseObject(text), /This is not an object/);
  for (const text of ['kind: Pod', 'metadata:', 'metadata: [a]']) assert.throws(() => parseObject(text), /has no metadata/);
  assert.deepEqual(parseObject('metadata: {name: a}'), { metadata: { name: 'a' } });
});
