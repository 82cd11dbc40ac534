import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import { deadlineIn } from './timer-limits.ts';

test('a deadline is as long as people say, or as long as a timer can wait', async () => {
  const [short, long, endless] = [0.5, 2 ** 31 + 5, Infinity].map(deadlineIn);
  while (!short!.aborted) await setTimeout(1);
  assert.ok(!long!.aborted && !endless!.aborted);
});
