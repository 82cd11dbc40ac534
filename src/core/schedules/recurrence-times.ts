import type { RecurrenceRule, Until, WeekdayRule } from './parse-rrule.ts';

type Day = Temporal.PlainDate;

/** Rules that meet no day, such as the 31st of February, end somewhere. */
const maxEmptyPeriods = { DAILY: 3000, WEEKLY: 500, MONTHLY: 200, YEARLY: 30 } as const;

/** Finds the first moment of a rule after another one, or undefined. Clocks of the zone count; what they skip comes when they go on. */
export function recurrence(rule: RecurrenceRule, startAt: Date, timeZone: string): (afterMs: number) => number | undefined {
  const start = Temporal.Instant.fromEpochMilliseconds(startAt.getTime()).toZonedDateTimeISO(timeZone);
  const untilMs = rule.until ? momentOf(rule.until, timeZone) : Infinity;
  let lastMs: number | undefined;
  return afterMs => {
    lastMs ??= Math.min(untilMs, lastCounted(rule, start));
    const next = momentsFrom(rule, start, firstPeriod(rule, start, afterMs)).find(ms => ms > afterMs);
    return next !== undefined && next <= lastMs ? next : undefined;
  };
}

/** The moments of a rule from a period on, for ever. */
function* momentsFrom(rule: RecurrenceRule, start: Temporal.ZonedDateTime, first: number): Generator<number, undefined> {
  for (let [period, empty] = [first, 0]; empty < maxEmptyPeriods[rule.frequency]; period++) {
    const moments = momentsOf(rule, start, period).filter(ms => ms >= start.epochMilliseconds);
    empty = moments.length === 0 ? empty + 1 : 0;
    yield* moments;
  }
}

/** Whatever is counted has to be walked through, but once is enough. */
function lastCounted(rule: RecurrenceRule, start: Temporal.ZonedDateTime): number {
  if (rule.count === undefined) return Infinity;
  return momentsFrom(rule, start, 0)
    .take(rule.count)
    .reduce((last, ms) => Math.max(last, ms), -Infinity);
}

const momentOf = ({ at, isUtc }: Until, timeZone: string): number => at.toZonedDateTime(isUtc ? 'UTC' : timeZone).epochMilliseconds;

/** What lies long before need not be walked through. */
function firstPeriod({ frequency, interval }: RecurrenceRule, start: Temporal.ZonedDateTime, afterMs: number): number {
  if (afterMs <= start.epochMilliseconds) return 0;
  const at = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(start.timeZoneId).toPlainDate();
  const largestUnit = unitOf[frequency];
  const passed = start.toPlainDate().until(at, { largestUnit })[largestUnit];
  return Math.max(0, Math.floor(passed / interval) - 1);
}

const unitOf = { DAILY: 'days', WEEKLY: 'weeks', MONTHLY: 'months', YEARLY: 'years' } as const;

function momentsOf(rule: RecurrenceRule, start: Temporal.ZonedDateTime, period: number): number[] {
  const hours = rule.hours.length > 0 ? rule.hours : [start.hour];
  const minutes = rule.minutes.length > 0 ? rule.minutes : [start.minute];
  const { second } = start;
  const moments = daysOf(rule, start.toPlainDate(), period * rule.interval).flatMap(day =>
    hours.flatMap(hour =>
      minutes.map(minute => day.toZonedDateTime({ timeZone: start.timeZoneId, plainTime: { hour, minute, second } }).epochMilliseconds),
    ),
  );
  return [...new Set(moments)].toSorted((a, b) => a - b);
}

/** The days of a period, so many units after that of the start. */
function daysOf(rule: RecurrenceRule, start: Day, units: number): Day[] {
  const { frequency, weekdays, months, monthDays, weekStart } = rule;
  const isMonth = (day: Day) => months.length === 0 || months.includes(day.month);
  if (frequency === 'DAILY') {
    const day = start.add({ days: units });
    const isDay = monthDays.length === 0 || monthDays.some(number => dayNumber(day, number) === day.day);
    return isDay && isMonth(day) && isWeekday(day, weekdays) ? [day] : [];
  }
  if (frequency === 'WEEKLY') {
    const first = start.subtract({ days: (start.dayOfWeek - weekStart + 7) % 7 }).add({ weeks: units });
    const wanted = weekdays.length > 0 ? weekdays : [{ weekday: start.dayOfWeek }];
    return datesFrom(first, 7).filter(day => isMonth(day) && isWeekday(day, wanted));
  }
  if (frequency === 'MONTHLY') {
    const first = start.with({ day: 1 }).add({ months: units });
    return isMonth(first) ? daysOfMonth(rule, first, start.day) : [];
  }
  return daysOfYear(rule, start.with({ month: 1, day: 1 }).add({ years: units }), start);
}

function daysOfMonth({ weekdays, monthDays }: RecurrenceRule, first: Day, defaultDay: number): Day[] {
  const days = datesFrom(first, first.daysInMonth);
  if (weekdays.length === 0 && monthDays.length === 0) return days.filter(({ day }) => day === defaultDay);
  const isNumber = (date: Day) => monthDays.length === 0 || monthDays.some(number => dayNumber(date, number) === date.day);
  return days.filter(date => isNumber(date) && isWeekday(date, weekdays, { at: date.day, of: date.daysInMonth }));
}

function daysOfYear(rule: RecurrenceRule, first: Day, start: Day): Day[] {
  const { weekdays, monthDays, months } = rule;
  if (weekdays.length > 0 && months.length === 0 && monthDays.length === 0)
    return datesFrom(first, first.daysInYear).filter(day => isWeekday(day, weekdays, { at: day.dayOfYear, of: day.daysInYear }));
  const isPlain = weekdays.length === 0 && monthDays.length === 0;
  const wanted = months.length > 0 ? months : isPlain ? [start.month] : Array.from({ length: 12 }, (_, i) => i + 1);
  return wanted.toSorted((a, b) => a - b).flatMap(month => daysOfMonth(rule, first.with({ month }), start.day));
}

const datesFrom = (first: Day, length: number): Day[] => Array.from({ length }, (_, days) => first.add({ days }));

/** Negative numbers count from the end of the month. */
const dayNumber = ({ daysInMonth }: Day, number: number): number => (number > 0 ? number : daysInMonth + 1 + number);

/** `place` is the number of the day within the month or year that is counted. */
function isWeekday({ dayOfWeek }: Day, wanted: readonly WeekdayRule[], place = { at: 0, of: 0 }): boolean {
  if (wanted.length === 0) return true;
  const fromStart = Math.ceil(place.at / 7);
  const fromEnd = -Math.ceil((place.of - place.at + 1) / 7);
  return wanted.some(({ weekday, nth }) => weekday === dayOfWeek && (nth === undefined || nth === fromStart || nth === fromEnd));
}
