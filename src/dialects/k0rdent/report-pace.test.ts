import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportPace } from './report-pace.ts';

test('with few clusters nothing waits for long, with many a change waits for those that come with it', () => {
  assert.ok(reportPace().restMs('few', 2, 1_000) < 1);
  const pace = reportPace();
  assert.equal(pace.restMs('many', 5_000, 1_000), 200);
  assert.equal(pace.restMs('many', 5_000, 1_150), 50);
  assert.equal(pace.restMs('many', 5_000, 1_300), 0);
});

test('changes without an end are told again and again, less than a second apart', () => {
  const pace = reportPace();
  const told: number[] = [];
  for (let nowMs = 0; nowMs < 10_000; nowMs += 10) {
    if (pace.restMs('many', 100_000, nowMs) > 0) continue;
    pace.told('many', nowMs);
    told.push(nowMs);
  }
  const gaps = told.slice(1).map((at, i) => at - told[i]!);
  assert.ok(
    gaps.every(gap => gap >= 700 && gap < 1_000),
    `${gaps.join(', ')}`,
  );
});
