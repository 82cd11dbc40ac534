import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mapBounded } from './map-bounded.ts';

test('answers stand in the order of the items, and never more run at once than allowed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 })), fc.integer({ min: 1, max: 4 }), async (turns, limit) => {
      let running = 0;
      let most = 0;
      const results = await mapBounded(turns, limit, async waits => {
        most = Math.max(most, ++running);
        for (let i = 0; i < waits; i++) await Promise.resolve();
        running--;
        return waits * 2;
      });
      assert.deepEqual(
        results,
        turns.map(one => one * 2),
      );
      assert.ok(most <= limit);
    }),
  );
});

test('the first failure is thrown when all have ended', async () => {
  const ended: number[] = [];
  const work = async (n: number) => {
    if (n === 1) throw new Error('one');
    await Promise.resolve();
    ended.push(n);
  };
  await assert.rejects(mapBounded([0, 1, 2, 3], 2, work), /one/);
  assert.deepEqual(ended, [0, 2, 3]);
});
