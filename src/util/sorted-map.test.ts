import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SortedMap } from './sorted-map.ts';

test('behaves like a map whose keys are sorted', () => {
  const key = fc.string({ maxLength: 3 });
  const step = fc.record({ remove: fc.boolean(), key, value: fc.integer() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 3000 }), key, (steps, from) => {
      const sorted = new SortedMap<number>();
      const model = new Map<string, number>();
      for (const { remove, key: k, value } of steps) {
        if (remove) assert.equal(sorted.delete(k), model.delete(k));
        else {
          sorted.set(k, value);
          model.set(k, value);
        }
      }
      const expected = [...model].filter(([k]) => k >= from).sort(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual([...sorted.entriesFrom(from)], expected);
      const visited: [string, number][] = [];
      sorted.forEachFrom(from, (value, k) => void visited.push([k, value]));
      assert.deepEqual(visited, expected);
      assert.equal(sorted.size, model.size);
      for (const { key: k } of steps) assert.equal(sorted.get(k), model.get(k));
    }),
    { numRuns: 60 },
  );
});

test('stays sorted over many chunks', () => {
  const sorted = new SortedMap<number>();
  const keys = Array.from({ length: 5000 }, (_, i) => String((i * 7919) % 5000).padStart(5, '0'));
  keys.forEach((k, i) => sorted.set(k, i));
  assert.deepEqual(
    [...sorted.entriesFrom()].map(([k]) => k),
    keys.toSorted(),
  );
});
