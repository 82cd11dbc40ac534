import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ScheduleError } from './calendar-field.ts';
import { parseRecurrence } from './parse-rrule.ts';
import { recurrence } from './recurrence-times.ts';

const at = (text: string) => Date.parse(text);
const next = (rule: string, start: string, after: string, zone = 'UTC') => {
  const found = recurrence(parseRecurrence(rule), new Date(start), zone)(at(after));
  return found === undefined ? undefined : new Date(found).toISOString().replace('.000Z', 'Z');
};

for (const [rule, start, after, expected, zone] of [
  ['FREQ=DAILY', '2026-01-01T09:00:00Z', '2025-01-01T00:00:00Z', '2026-01-01T09:00:00Z'],
  ['FREQ=DAILY;INTERVAL=3', '2026-01-01T09:00:00Z', '2026-01-02T00:00:00Z', '2026-01-04T09:00:00Z'],
  ['RRULE:FREQ=WEEKLY;BYDAY=FR,SA', '2026-01-02T18:00:00Z', '2026-01-04T00:00:00Z', '2026-01-09T18:00:00Z'],
  ['FREQ=MONTHLY;BYDAY=-1FR', '2026-01-01T18:00:00Z', '2026-02-01T00:00:00Z', '2026-02-27T18:00:00Z'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', '2026-01-01T18:00:00Z', '2026-02-01T00:00:00Z', '2026-02-28T18:00:00Z'],
  ['FREQ=MONTHLY', '2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z', '2026-03-31T00:00:00Z'],
  ['FREQ=YEARLY', '2024-12-20T00:00:00Z', '2026-01-01T00:00:00Z', '2026-12-20T00:00:00Z'],
  ['FREQ=YEARLY;BYMONTH=11;BYDAY=4TH', '2020-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-11-26T00:00:00Z'],
  ['FREQ=YEARLY;BYDAY=20MO', '1997-05-19T09:00:00Z', '1997-06-01T00:00:00Z', '1998-05-18T09:00:00Z'],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '1997-08-05T09:00:00Z', '1997-08-06T00:00:00Z', '1997-08-17T09:00:00Z'],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '1997-08-05T09:00:00Z', '1997-08-06T00:00:00Z', '1997-08-10T09:00:00Z'],
  ['FREQ=DAILY;COUNT=2', '2026-01-01T09:00:00Z', '2026-01-02T09:00:00Z', undefined],
  ['FREQ=DAILY;UNTIL=20260102', '2026-01-01T09:00:00Z', '2026-01-01T09:00:00Z', '2026-01-02T09:00:00Z'],
  ['FREQ=DAILY;UNTIL=20260102T080000Z', '2026-01-01T09:00:00Z', '2026-01-01T09:00:00Z', undefined],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2026-01-01T09:00:00Z', '2026-01-01T09:00:00Z', undefined],
  ['FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0,30', '2026-01-01T00:00:00Z', '2026-01-01T08:00:00Z', '2026-01-01T08:30:00Z'],
  ['FREQ=DAILY', '2026-01-01T17:00:00Z', '2026-07-01T00:00:00Z', '2026-07-01T16:00:00Z', 'Europe/Berlin'],
  // Clocks go from 02:00 to 03:00: half past two comes when they show half past three.
  ['FREQ=DAILY', '2026-03-01T01:30:00Z', '2026-03-28T12:00:00Z', '2026-03-29T01:30:00Z', 'Europe/Berlin'],
] as [string, string, string, string | undefined, string?][]) {
  test(`after ${after}, "${rule}" comes at ${expected ?? 'no time'}`, () => assert.equal(next(rule, start, after, zone), expected));
}

const dayMs = 86_400_000;
const codes = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
interface Wish {
  readonly frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY';
  readonly interval: number;
  readonly weekdays: number[];
  readonly monthDays: number[];
  readonly months: number[];
}

/** Whether a day belongs to the rule, asked of the day instead of counted from the start. */
function belongs({ frequency, interval, weekdays, monthDays, months }: Wish, startMs: number, ms: number): boolean {
  const [start, date] = [new Date(startMs), new Date(ms)];
  const monthLength = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  if (months.length > 0 && !months.includes(date.getUTCMonth() + 1)) return false;
  const isNumber = monthDays.some(number => (number > 0 ? number : monthLength + 1 + number) === date.getUTCDate());
  const mondayOf = (day: number) => Math.floor((Math.floor(day / dayMs) + 3) / 7);
  if (frequency === 'WEEKLY')
    return (
      (mondayOf(ms) - mondayOf(startMs)) % interval === 0 &&
      (weekdays.length > 0 ? weekdays : [start.getUTCDay()]).includes(date.getUTCDay())
    );
  const isWeekday = weekdays.length === 0 || weekdays.includes(date.getUTCDay());
  if (frequency === 'DAILY') return ((ms - startMs) / dayMs) % interval === 0 && isWeekday && (monthDays.length === 0 || isNumber);
  const monthsApart = (date.getUTCFullYear() - start.getUTCFullYear()) * 12 + date.getUTCMonth() - start.getUTCMonth();
  if (monthsApart % interval !== 0) return false;
  if (weekdays.length === 0 && monthDays.length === 0) return date.getUTCDate() === start.getUTCDate();
  return isWeekday && (monthDays.length === 0 || isNumber);
}

test('a rule meets exactly the days that belong to it', () => {
  const wishes: fc.Arbitrary<Wish> = fc.record({
    frequency: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY'),
    interval: fc.integer({ min: 1, max: 4 }),
    weekdays: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 3 }),
    monthDays: fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: -31, max: -1 })), { maxLength: 2 }),
    months: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(wishes, fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 2000 }), (drawn, startDay, later) => {
      const wish = drawn.frequency === 'WEEKLY' ? { ...drawn, monthDays: [] } : drawn;
      const parts = [`FREQ=${wish.frequency}`, `INTERVAL=${wish.interval}`];
      if (wish.weekdays.length > 0) parts.push(`BYDAY=${wish.weekdays.map(day => codes[day]).join(',')}`);
      if (wish.monthDays.length > 0) parts.push(`BYMONTHDAY=${wish.monthDays.join(',')}`);
      if (wish.months.length > 0) parts.push(`BYMONTH=${wish.months.join(',')}`);
      const startMs = startDay * dayMs + 9 * 3_600_000;
      const after = startMs + later * dayMs;
      const found = recurrence(parseRecurrence(parts.join(';')), new Date(startMs), 'UTC')(after);
      let expected = after + dayMs;
      while (expected < after + 500 * dayMs && !belongs(wish, startMs, expected)) expected += dayMs;
      if (expected < after + 500 * dayMs) assert.equal(found, expected);
      else if (found !== undefined) assert.ok(found >= expected && belongs(wish, startMs, found));
    }),
    { numRuns: 100 },
  );
});

for (const rule of [
  '',
  'FREQ=HOURLY',
  'FREQ=DAILY;FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=0',
  'FREQ=DAILY;BYDAY=XX',
  'FREQ=WEEKLY;BYDAY=2MO',
  'FREQ=DAILY;UNTIL=20261399',
  'FREQ=DAILY;COUNT=1;UNTIL=20260101',
  'FREQ=WEEKLY;BYMONTHDAY=1',
  'FREQ=DAILY;BYSETPOS=1',
  'FREQ=MONTHLY;BYDAY=0MO',
]) {
  test(`"${rule}" is no rule`, () => assert.throws(() => parseRecurrence(rule), ScheduleError));
}

test('whatever is given is read or refused', () => {
  const words = fc.array(
    fc.constantFrom('FREQ=', 'DAILY', ';', 'BYDAY=', 'MO', '-1', ',', 'UNTIL=', '20260101', 'T000000Z', 'COUNT=', '9'),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        words.map(parts => parts.join('')),
      ),
      text => {
        try {
          parseRecurrence(text);
        } catch (error) {
          assert.ok(error instanceof ScheduleError);
        }
      },
    ),
  );
});
