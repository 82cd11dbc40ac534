import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../../src/util/write-file-atomic.ts';
import type { TestResult } from './upstream-tests.ts';

const file = path.join(import.meta.dirname, 'real-results.json');

export type RecordedResult = Omit<TestResult, 'test'>;

/** What the real cluster made of each test when it was last asked, by the test's name. */
export function readRecorded(): Map<string, RecordedResult> {
  if (!existsSync(file)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, RecordedResult>));
}

/** Keeps results for later runs. Those of tests that were not run now stay as they were. */
export function recordResults(results: readonly TestResult[]): Map<string, RecordedResult> {
  const all = readRecorded();
  for (const { test, state, seconds, message } of results) all.set(test, { state, seconds, message: message.split('\n', 1)[0] ?? '' });
  const sorted = [...all].toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileAtomic(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`, 0o644);
  return new Map(sorted);
}
