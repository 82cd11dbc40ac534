import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockJumps } from './clock-jumps.ts';

test('a clock that is set is found out by one that nobody sets, from when something was first seen', () => {
  let [nowMs, steadyMs] = [1_000_000, 500];
  const jumps = clockJumps({ now: () => new Date(nowMs), steadyMs: () => steadyMs });
  const pass = (ms: number, jumpMs = 0) => {
    steadyMs += ms;
    nowMs += ms + jumpMs;
  };
  assert.equal(jumps.sinceMs('a', 'step'), 0);
  pass(60_000, 300);
  assert.equal(jumps.sinceMs('a', 'step'), 0, 'put right a little');
  pass(1_000, 86_400_000);
  assert.equal(jumps.sinceMs('a', 'step'), 86_400_300);
  assert.equal(jumps.sinceMs('b', 'step'), 0, 'seen only now');
  pass(1_000, -600_000);
  assert.deepEqual([jumps.sinceMs('a', 'step'), jumps.sinceMs('b', 'step')], [85_800_300, -600_000]);
  jumps.startAnew('b', 'step');
  assert.equal(jumps.sinceMs('b', 'step'), 0);
  pass(1_000, 5_000);
  assert.equal(jumps.sinceMs('b', 'step'), 5_000);
  jumps.forget('a');
  assert.equal(jumps.sinceMs('a', 'step'), 0);
});
