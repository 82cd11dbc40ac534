import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from './json.ts';
import { mergeValues } from './merge-values.ts';

test('merging keeps what the upper values do not say, and never joins lists', () => {
  assert.deepEqual(mergeValues({ a: { b: 1, c: [1] }, d: 1 }, { a: { c: [2] } }), { a: { b: 1, c: [2] }, d: 1 });
  const tricky = JSON.parse('{"__proto__":{"a":1}}') as JsonObject;
  assert.equal(JSON.stringify(mergeValues(tricky, JSON.parse('{"__proto__":{"b":2}}') as JsonObject)), '{"__proto__":{"a":1,"b":2}}');
  const values = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
  fc.assert(fc.property(values, one => assert.deepEqual(mergeValues(one, {}), { ...one })));
  fc.assert(fc.property(values, one => assert.deepEqual(mergeValues({}, one), { ...one })));
});
