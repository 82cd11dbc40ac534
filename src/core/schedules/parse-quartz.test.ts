import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { calendarTimes } from './calendar-times.ts';
import { ScheduleError } from './calendar-field.ts';
import { leastMinutesBetween, parseQuartz } from './parse-quartz.ts';

const at = (text: string) => Date.parse(text);

for (const [schedule, after, expected] of [
  ['0 0/12 ? * * *', '2026-01-01T00:00:00Z', '2026-01-01T12:00:00Z'],
  ['0 9 ? * MON-FRI', '2026-01-02T10:00:00Z', '2026-01-05T09:00:00Z'],
  ['0 9 ? * 2', '2026-01-01T00:00:00Z', '2026-01-05T09:00:00Z'],
  ['0 9 ? * FRI-MON', '2026-01-05T10:00:00Z', '2026-01-09T09:00:00Z'],
  ['30 22-2 * * ?', '2026-01-01T03:00:00Z', '2026-01-01T22:30:00Z'],
  ['0 0 L * ?', '2026-02-01T00:00:00Z', '2026-02-28T00:00:00Z'],
  ['0 0 L-3 * ?', '2026-02-01T00:00:00Z', '2026-02-25T00:00:00Z'],
  // The 15th of August 2026 is a Saturday, the 31st of May a Sunday.
  ['0 0 15W 8 ?', '2026-01-01T00:00:00Z', '2026-08-14T00:00:00Z'],
  ['0 0 LW 5 ?', '2026-01-01T00:00:00Z', '2026-05-29T00:00:00Z'],
  // The 1st of August is a Saturday too, and its month does not end before it.
  ['0 0 1W 8 ?', '2026-01-01T00:00:00Z', '2026-08-03T00:00:00Z'],
  ['0 0 ? * 6L', '2026-01-01T00:00:00Z', '2026-01-30T00:00:00Z'],
  ['0 0 ? * 6#3', '2026-01-01T00:00:00Z', '2026-01-16T00:00:00Z'],
  ['0 0 ? * L', '2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'],
  ['0 0 1 1 ? 2030', '2026-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
  ['0 0 1 1 ? 2020', '2026-01-01T00:00:00Z', undefined],
] as [string, string, string | undefined][]) {
  test(`after ${after}, "${schedule}" comes at ${expected ?? 'no time'}`, () => {
    assert.equal(calendarTimes(parseQuartz(schedule)).next(at(after)), expected === undefined ? undefined : at(expected));
  });
}

for (const text of [
  '* * * *',
  '0 0 ? * ?',
  '0 0 5 * MON',
  '0 0 32 * ?',
  '0 0 ? * 8',
  '0 0 ? * 2#6',
  '0 0 1 1 ? 1960',
  '0 0 0W * ?',
  '0 0 0 1 ? * *',
]) {
  test(`"${text}" is no schedule`, () => assert.throws(() => parseQuartz(text), ScheduleError));
}

test('the third Friday lies between the 15th and the 21st of every month', () => {
  const times = calendarTimes(parseQuartz('0 0 ? * FRI#3'));
  fc.assert(
    fc.property(fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z') }), after => {
      const next = new Date(times.next(after)!);
      assert.equal(next.getUTCDay(), 5);
      assert.ok(next.getUTCDate() >= 15 && next.getUTCDate() <= 21);
      assert.ok(next.getTime() - after <= 35 * 86_400_000);
    }),
    { numRuns: 100 },
  );
});

for (const [schedule, minutes] of [
  ['0/5 * * * ?', 5],
  ['0/7 * * * ?', 4],
  ['0,3 0 * * ?', 3],
  ['58 * * * ?', 60],
  ['0,59 0,23 * * ?', 1],
  // The first of a month does not follow the first of another.
  ['1,59 0,23 1 * ?', 58],
  ['0 0 * * ?', 1440],
] as const) {
  test(`moments of "${schedule}" are at least ${minutes} minutes apart`, () =>
    assert.equal(leastMinutesBetween(parseQuartz(schedule), new Date('2026-01-01T00:00:00Z')), minutes));
}

test('no two moments are nearer than the least distance', () => {
  const list = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 4 }).map(values => values.join(','));
  fc.assert(
    fc.property(list(59), list(23), (minutes, hours) => {
      const pattern = parseQuartz(`${minutes} ${hours} * * ?`);
      const times = calendarTimes(pattern);
      let [before, least] = [times.next(0)!, Infinity];
      for (let i = 0; i < 40; i++) {
        const next = times.next(before)!;
        least = Math.min(least, (next - before) / 60_000);
        before = next;
      }
      assert.equal(leastMinutesBetween(pattern, new Date(0)), least);
    }),
    { numRuns: 50 },
  );
});

test('whatever is given is read or refused', () => {
  const words = fc.array(fc.constantFrom('*', '?', '/', '-', ',', ' ', '1', '31', 'FRI', 'L', 'W', '#'), { maxLength: 30 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        words.map(parts => parts.join('')),
      ),
      text => {
        try {
          parseQuartz(text);
        } catch (error) {
          assert.ok(error instanceof ScheduleError);
        }
      },
    ),
  );
});
