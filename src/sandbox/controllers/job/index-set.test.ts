import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseIndexes, printIndexes } from './index-set.ts';

test('runs of three are joined, pairs are not', () => {
  assert.equal(printIndexes(new Set([7, 1, 3, 4, 5, 9, 10])), '1,3-5,7,9,10');
});

test('indexes beyond the limit are left out', () => {
  assert.deepEqual([...parseIndexes('0,2-9', 4)], [0, 2, 3]);
});

test('what is printed reads back as it was', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(200)), list => {
      const set = new Set(list);
      assert.deepEqual(parseIndexes(printIndexes(set), 201), new Set([...set].sort((a, b) => a - b)));
    }),
  );
});
