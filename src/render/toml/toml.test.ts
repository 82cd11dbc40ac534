import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { int64, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';
import { readToml } from './read-toml.ts';
import { TomlError, writeToml } from './write-toml.ts';

const text = fc.string({ unit: 'grapheme' });

const { table } = fc.letrec<{ table: GoMap; value: GoValue }>(tie => ({
  table: fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map(entries => new Map(entries)),
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.boolean(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(int64),
    fc.double({ noNaN: true }),
    fc.array(tie('value'), { maxLength: 3 }) as fc.Arbitrary<GoSlice>,
    tie('table'),
  ),
}));

describe('TOML', () => {
  test('what is written can be read', () => {
    fc.assert(fc.property(table, values => assert.deepEqual(readToml(writeToml(values)), values)));
  });

  test('whatever the text, the answer is a table or an error', () => {
    const unit = fc.constantFrom('a', '1', '=', '[', ']', '{', '}', ',', '.', '"', "'", '\\', '\n', ' ', '#', '-');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), broken => {
        try {
          readToml(broken);
        } catch (error) {
          assert.ok(error instanceof TomlError, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('errors name the line', () => {
    assert.throws(() => readToml('a = 1\nb = \n'), /^TomlError: toml: line 2: /);
    assert.throws(() => readToml('a = 1\n[a]\n'), /has already been defined/);
  });
});
