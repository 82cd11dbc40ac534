import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workQueue } from './work-queue.ts';

test('a key added many times is worked on once', async () => {
  const seen: string[] = [];
  using queue = workQueue({ reconcile: key => void seen.push(key) });
  for (let i = 0; i < 10; i++) queue.add('a');
  queue.add('b');
  await queue.idle();
  assert.deepEqual(seen, ['a', 'b']);
});

test('a key added while it is worked on is looked at once more and never twice at the same time', async () => {
  let runs = 0;
  let active = 0;
  using queue = workQueue({
    concurrency: 4,
    async reconcile(key) {
      assert.equal(++active, 1);
      if (++runs === 1) for (let i = 0; i < 5; i++) queue.add(key);
      await new Promise(setImmediate);
      active--;
    },
  });
  queue.add('a');
  await queue.idle();
  assert.equal(runs, 2);
});

test('a failing key comes back after a growing delay and other keys do not wait for it', async () => {
  const seen: string[] = [];
  const counts: number[] = [];
  let left = 3;
  using queue = workQueue({
    firstDelayMs: 2,
    reconcile(key) {
      seen.push(key);
      if (key === 'bad' && left-- > 0) throw new Error('not yet');
    },
    onError: (_key, _error, failures) => counts.push(failures),
  });
  queue.add('bad');
  queue.add('good');
  await queue.idle();
  assert.deepEqual(seen, ['bad', 'good', 'bad', 'bad', 'bad']);
  assert.deepEqual(counts, [1, 2, 3]);
});

test('no more keys run at once than allowed', async () => {
  let active = 0;
  let most = 0;
  using queue = workQueue({
    concurrency: 3,
    async reconcile() {
      most = Math.max(most, ++active);
      await new Promise(resolve => setTimeout(resolve, 1));
      active--;
    },
  });
  for (let i = 0; i < 20; i++) queue.add(`${i}`);
  await queue.idle();
  assert.equal(most, 3);
});

test('an outcome asks for another look', async () => {
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  using queue = workQueue({
    reconcile() {
      if (++runs === 1) return { requeueAfterMs: 1 };
      resolve();
      return undefined;
    },
  });
  queue.add('a');
  await promise;
  assert.equal(runs, 2);
});

test('aborting stops what waits and tells what runs', async () => {
  const controller = new AbortController();
  const seen: string[] = [];
  const queue = workQueue({
    signal: controller.signal,
    reconcile(key, signal) {
      seen.push(key);
      controller.abort();
      assert.ok(signal.aborted);
      throw new Error('interrupted');
    },
  });
  queue.add('a');
  queue.add('b');
  await queue.idle();
  queue.add('c');
  queue.addAfter('d', 1);
  await new Promise(resolve => setTimeout(resolve, 5));
  assert.deepEqual(seen, ['a']);
});

test('a time that cannot be read is no reason to look again and again', async () => {
  const seen: string[] = [];
  using queue = workQueue({
    reconcile(key) {
      seen.push(key);
      return key === 'odd' ? { requeueAfterMs: NaN } : undefined;
    },
  });
  queue.add('odd');
  await queue.idle();
  for (let i = 0; i < 20; i++) {
    await new Promise(resolve => setTimeout(resolve, 1));
    queue.add(`other ${i}`);
    await queue.idle();
  }
  assert.equal(seen.filter(key => key === 'odd').length, 1);
});
