import { cronFields } from '../../../apiserver/builtin/workloads/cron-schedule.ts';
import { parseGoDuration } from '../../../apiserver/schema/go-time.ts';

/** The moments of a cron schedule. */
export interface CronTimes {
  /** The first moment after this one, in milliseconds; undefined when there is none within five years. */
  next(afterMs: number): number | undefined;
  /** The last moment after `fromMs` and not after `untilMs`. */
  last(fromMs: number, untilMs: number): number | undefined;
}

const minuteMs = 60_000;
const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Reads a schedule that validation has let through. A zone in the schedule itself wins over the one given. */
export function cronTimes(schedule: string, timeZone = 'UTC'): CronTimes {
  const zoned = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/.exec(schedule);
  const zone = zoned?.[1] || timeZone;
  const text = (zoned?.[2] ?? schedule).trim();
  if (text.startsWith('@every ')) return everyTimes(Number(parseGoDuration(text.slice('@every '.length)) / 1_000_000n));
  const pattern = parsePattern(descriptors[text] ?? text);
  const next = (afterMs: number) => nextMatch(pattern, zone, afterMs);
  return { next, last: (fromMs, untilMs) => lastMatch(next, fromMs, untilMs) };
}

/** Moments at a fixed distance, counted from wherever one starts to look. Seconds are the shortest distance. */
function everyTimes(intervalMs: number): CronTimes {
  const step = Math.max(1000, Math.floor(intervalMs / 1000) * 1000);
  return {
    next: afterMs => Math.floor(afterMs / 1000) * 1000 + step,
    last(fromMs, untilMs) {
      const times = Math.floor((untilMs - fromMs) / step);
      return times < 1 ? undefined : fromMs + times * step;
    },
  };
}

interface Pattern {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** When both are limited, a day that meets either will do. */
  readonly isAnyDay: boolean;
  readonly isAnyWeekday: boolean;
}

function parsePattern(text: string): Pattern {
  const parts = text.split(/\s+/);
  const [minutes, hours, days, months, weekdays] = cronFields.map((bounds, i) => parseField(parts[i] ?? '*', bounds));
  const isAny = (part: string | undefined) => (part ?? '*').split(',').some(range => range.startsWith('*') || range.startsWith('?'));
  return {
    minutes: minutes!,
    hours: hours!,
    days: days!,
    months: months!,
    weekdays: weekdays!,
    isAnyDay: isAny(parts[2]),
    isAnyWeekday: isAny(parts[4]),
  };
}

function parseField(text: string, { min, max, names }: (typeof cronFields)[number]): Set<number> {
  const values = new Set<number>();
  const valueOf = (word: string) => names?.[word.toLowerCase()] ?? Number(word);
  for (const range of text.split(',').filter(Boolean)) {
    const [ends = '', step] = range.split('/');
    const [low = '', high] = ends.split('-');
    const isAny = low === '*' || low === '?';
    const first = isAny ? min : valueOf(low);
    const last = isAny || (high === undefined && step !== undefined) ? max : valueOf(high ?? low);
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

/** Walks from field to field, the largest first; a moment that the zone skips is never reached. */
function nextMatch(pattern: Pattern, zone: string, afterMs: number): number | undefined {
  let at = Temporal.Instant.fromEpochMilliseconds((Math.floor(afterMs / minuteMs) + 1) * minuteMs).toZonedDateTimeISO(zone);
  const lastYear = at.year + 5;
  while (at.year <= lastYear) {
    if (!pattern.months.has(at.month)) at = at.with({ day: 1 }).add({ months: 1 }).startOfDay();
    else if (!isDay(pattern, at)) at = at.add({ days: 1 }).startOfDay();
    else if (!pattern.hours.has(at.hour)) at = at.add({ minutes: 60 - at.minute });
    else if (!pattern.minutes.has(at.minute)) at = at.add({ minutes: 1 });
    else return at.epochMilliseconds;
  }
  return undefined;
}

function isDay({ days, weekdays, isAnyDay, isAnyWeekday }: Pattern, { day, dayOfWeek }: Temporal.ZonedDateTime): boolean {
  const isOfMonth = days.has(day);
  const isOfWeek = weekdays.has(dayOfWeek % 7);
  return isAnyDay || isAnyWeekday ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
}

/** Looks back further and further, so that a schedule of every minute is not walked through from years ago. */
function lastMatch(next: CronTimes['next'], fromMs: number, untilMs: number): number | undefined {
  for (let windowMs = minuteMs; ; windowMs *= 10) {
    const start = Math.max(fromMs, untilMs - windowMs);
    let found: number | undefined;
    for (let at = next(start); at !== undefined && at <= untilMs; at = next(at)) found = at;
    if (found !== undefined || start === fromMs) return found;
  }
}
