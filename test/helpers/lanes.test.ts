import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inLanes } from './lanes.ts';

/** Runs ten things that end when they are let go, and tells how many ran at the same time. */
async function mostAtOnce(atOnce: number, room: number): Promise<{ most: number; order: number[] }> {
  const order: number[] = [];
  const running = new Map<number, () => void>();
  let most = 0;
  await inLanes(
    Array.from({ length: 10 }, (_, i) => i),
    atOnce,
    async item => {
      order.push(item);
      const { promise, resolve } = Promise.withResolvers<void>();
      running.set(item, resolve);
      most = Math.max(most, running.size);
      if (item === 9) for (const end of running.values()) end();
      await promise;
      running.delete(item);
    },
    async until => {
      if (room === 1 && running.size < atOnce * 2) return room;
      running.values().next().value?.();
      await until;
      return room;
    },
  );
  return { most, order };
}

test('as many run as are told while the processors are busy, twice as many while they are not, in their order', async () => {
  const order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  assert.deepEqual(await mostAtOnce(3, 0), { most: 3, order });
  assert.deepEqual(await mostAtOnce(3, 0.3), { most: 3, order });
  assert.deepEqual(await mostAtOnce(3, 1), { most: 6, order });
});
