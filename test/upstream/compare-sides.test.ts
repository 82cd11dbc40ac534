import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSides, isFault, printRows } from './compare-sides.ts';

interface Result {
  readonly state: 'passed' | 'failed';
  readonly message: string;
}

const passed: Result = { state: 'passed', message: '' };
const failed: Result = { state: 'failed', message: 'timed out\nsecond line' };

const rows = compareSides({
  tests: ['a', 'b', 'c', 'd'],
  real: new Map([
    ['a', passed],
    ['b', failed],
    ['c', passed],
  ]),
  sandbox: new Map([
    ['a', passed],
    ['c', failed],
  ]),
  leftOut: new Map([['b', 'needs a running container']]),
});

test('each test shows what both sides said, and why one said nothing', () => {
  assert.deepEqual(
    rows.map(row => [row.test, row.real, row.sandbox, row.note]),
    [
      ['a', 'passed', 'passed', ''],
      ['b', 'failed', 'left out', 'needs a running container'],
      ['c', 'passed', 'failed', 'timed out'],
      ['d', 'not run', 'not run', ''],
    ],
  );
});

test('only a test that the real cluster passes and ours does not is a fault', () => {
  assert.deepEqual(
    rows.filter(isFault).map(row => row.test),
    ['c'],
  );
});

test('both sides are counted at the end', () => {
  assert.match(printRows(rows), /real: {4}2 passed, 1 failed, 1 not run\nsandbox: 1 passed, 1 failed, 1 left out, 1 not run$/);
});
