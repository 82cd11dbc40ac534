import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { calendarTimes } from './calendar-times.ts';
import { ScheduleError } from './calendar-field.ts';
import { parseCron } from './parse-cron.ts';

const minuteMs = 60_000;
const at = (text: string) => Date.parse(text);

/** A field as text and as what it means, made without the parser. */
const field = (min: number, max: number) => {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max: 20 });
  const part = fc.oneof(
    value.map(one => ({ text: `${one}`, has: (n: number) => n === one })),
    fc.tuple(value, value).map(([a, b]) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      return { text: `${low}-${high}`, has: (n: number) => n >= low && n <= high };
    }),
    fc.tuple(value, step).map(([low, by]) => ({ text: `${low}/${by}`, has: (n: number) => n >= low && (n - low) % by === 0 })),
  );
  const many = fc.array(part, { minLength: 1, maxLength: 3 }).map(parts => ({
    text: parts.map(({ text }) => text).join(','),
    has: (n: number) => parts.some(one => one.has(n)),
    isAny: false,
  }));
  return fc.oneof(
    fc.constant({ text: '*', has: () => true, isAny: true }),
    step.map(by => ({ text: `*/${by}`, has: (n: number) => (n - min) % by === 0, isAny: true })),
    many,
  );
};

test('the next moment is the first minute that every field allows', () => {
  const schedules = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6));
  const moments = fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2032-01-01T00:00:00Z') });
  fc.assert(
    fc.property(schedules, moments, (fields, after) => {
      const [minute, hour, day, month, weekday] = fields;
      const isDay = (date: Date) => {
        const [isOfMonth, isOfWeek] = [day.has(date.getUTCDate()), weekday.has(date.getUTCDay())];
        return day.isAny || weekday.isAny ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
      };
      const matches = (ms: number) => {
        const date = new Date(ms);
        return minute.has(date.getUTCMinutes()) && hour.has(date.getUTCHours()) && month.has(date.getUTCMonth() + 1) && isDay(date);
      };
      const found = calendarTimes(parseCron(fields.map(({ text }) => text).join(' '))).next(after);
      const limit = after + 2 * 86_400_000;
      let expected = (Math.floor(after / minuteMs) + 1) * minuteMs;
      while (expected < limit && !matches(expected)) expected += minuteMs;
      if (expected < limit) assert.equal(found, expected);
      else if (found !== undefined) assert.ok(found >= limit && matches(found));
    }),
    { numRuns: 100 },
  );
});

test('Sunday is 0 and 7', () => {
  const sunday = at('2026-11-15T00:00:00Z');
  for (const text of ['0 0 * * 0', '0 0 * * 7', '0 0 * * sun']) assert.equal(calendarTimes(parseCron(text)).next(sunday - 1), sunday);
});

test('clocks of the zone count', () => {
  const times = calendarTimes(parseCron('0 22 * * *'), 'America/New_York');
  assert.equal(times.next(at('2026-07-01T12:00:00Z')), at('2026-07-02T02:00:00Z'));
  assert.equal(times.next(at('2026-12-01T12:00:00Z')), at('2026-12-02T03:00:00Z'));
});

for (const text of [
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  '*/0 * * * *',
  '1-2-3 * * * *',
  'a * * * *',
  '1, * * * *',
  '*/x * * * *',
]) {
  test(`"${text}" is no schedule`, () => assert.throws(() => parseCron(text), ScheduleError));
}

test('whatever is given is read or refused', () => {
  const words = fc.array(fc.constantFrom('*', '?', '/', '-', ',', ' ', '1', '59', 'mon', 'L', '#'), { maxLength: 30 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        words.map(parts => parts.join('')),
      ),
      text => {
        try {
          parseCron(text);
        } catch (error) {
          assert.ok(error instanceof ScheduleError);
        }
      },
    ),
  );
});
