import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cronTimes } from './cron-times.ts';

const at = (text: string) => Date.parse(text);
const nextOf = (schedule: string, after: string, zone?: string) => {
  const next = cronTimes(schedule, zone).next(at(after));
  return next === undefined ? undefined : new Date(next).toISOString().replace('.000Z', 'Z');
};

for (const [schedule, after, expected, zone] of [
  ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
  ['*/15 * * * *', '2026-01-01T00:15:00Z', '2026-01-01T00:30:00Z'],
  ['5/20 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z'],
  ['0 9-17/4 * * mon-fri', '2026-01-02T18:00:00Z', '2026-01-05T09:00:00Z'],
  ['30 4 1,15 * 5', '2026-01-02T05:00:00Z', '2026-01-09T04:30:00Z'],
  ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 0 31 2 *', '2026-01-01T00:00:00Z', undefined],
  ['@daily', '2026-01-01T12:00:00Z', '2026-01-02T00:00:00Z'],
  ['@every 90s', '2026-01-01T12:00:00.500Z', '2026-01-01T12:01:30Z'],
  ['0 12 * * *', '2026-07-01T00:00:00Z', '2026-07-01T10:00:00Z', 'Europe/Berlin'],
  ['TZ=America/New_York 0 12 * * *', '2026-07-01T00:00:00Z', '2026-07-01T16:00:00Z', 'Europe/Berlin'],
  // Clocks go from 02:00 to 03:00 on the 29th of March: there is no half past two.
  ['30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00Z', 'Europe/Berlin'],
] as [string, string, string | undefined, string?][]) {
  test(`after ${after}, "${schedule}" comes at ${expected ?? 'no time'}`, () => assert.equal(nextOf(schedule, after, zone), expected));
}

const field = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min, max }).map(String),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.integer({ min: 1, max: 12 }).map(step => `*/${step}`),
  );
const schedules = fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)).map(parts => parts.join(' '));
const moments = fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });

test('the next moment is later, on a whole minute, and nothing lies between', () => {
  fc.assert(
    fc.property(schedules, moments, (schedule, after) => {
      const times = cronTimes(schedule);
      const next = times.next(after);
      // Some weekdays meet some dates less often than every five years.
      if (next === undefined) return;
      assert.ok(next > after && next % 60_000 === 0);
      assert.equal(times.next(next - 1), next);
      assert.equal(times.next(after + Math.floor((next - after) / 2)), next);
    }),
    { numRuns: 200 },
  );
});

test('the last moment before a time is the one whose successor is after it', () => {
  fc.assert(
    fc.property(schedules, moments, (schedule, until) => {
      const times = cronTimes(schedule);
      const last = times.last(until - 400 * 86_400_000, until);
      if (last === undefined) return;
      // Sundays of certain dates may be more than five years apart: then there is no next one.
      assert.ok(last <= until && (times.next(last) ?? Infinity) > until);
      assert.equal(times.next(last - 1), last);
    }),
    { numRuns: 200 },
  );
});
