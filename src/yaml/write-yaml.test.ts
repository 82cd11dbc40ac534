import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson, type Json } from '../util/json.ts';
import { readYaml } from './read-yaml.ts';
import { writeYaml } from './write-yaml.ts';

const recorded = JSON.parse(readFileSync(new URL('recorded-writes.json', import.meta.url), 'utf8')) as { json: string; yaml: string }[];

test('values are written byte for byte as the real library does', () => {
  assert.ok(recorded.length > 100);
  for (const { json, yaml } of recorded) assert.equal(writeYaml(parseJson(json)), yaml, json);
});

test('what is written is read back', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 }).map(one => one.toWellFormed());
  const value = fc.letrec<{ value: Json }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(value, one => assert.deepEqual(readYaml(writeYaml(one)).value, one)),
    { numRuns: 500 },
  );
});
