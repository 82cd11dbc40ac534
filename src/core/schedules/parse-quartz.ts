import { calendarTimes, type CalendarPattern } from './calendar-times.ts';
import { monthNames, named, parseField, ScheduleError, weekdayNames, type FieldBounds } from './calendar-field.ts';

type Day = Temporal.PlainDate | Temporal.ZonedDateTime;

const fields = {
  minutes: { what: 'minutes', min: 0, max: 59, mayWrap: true },
  hours: { what: 'hours', min: 0, max: 23, mayWrap: true },
  days: { what: 'days', min: 1, max: 31, mayWrap: true },
  months: { what: 'months', min: 1, max: 12, names: monthNames, mayWrap: true },
  weekdays: { what: 'weekdays', min: 1, max: 7, names: named(weekdayNames, 1), mayWrap: true },
  years: { what: 'years', min: 1970, max: 2199 },
} satisfies Record<string, FieldBounds>;

/**
 * Reads the fields of Quartz without seconds: minute, hour, day of the month, month, day of the week (1 is Sunday) and, if wanted, year, with `?`, `L`, `W` and
 * `#`. Throws ScheduleError.
 */
export function parseQuartz(text: string): CalendarPattern {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6)
    throw new ScheduleError(`a schedule has five fields or six, "${text.slice(0, 100)}" has ${parts.length}`);
  const [minute, hour, day, month, weekday, year = '*'] = parts as [string, string, string, string, string, string?];
  const isAnyDay = day === '?' || day === '*';
  const isAnyWeekday = weekday === '?' || weekday === '*';
  if (day === '?' && weekday === '?') throw new ScheduleError('"?" is for the day of the month or the day of the week, not for both');
  if (!isAnyDay && !isAnyWeekday) throw new ScheduleError('either the day of the month or the day of the week must be "?"');
  return {
    minutes: parseField(minute, fields.minutes),
    hours: parseField(hour, fields.hours),
    months: parseField(month, fields.months),
    ...(year !== '*' && { years: parseField(year, fields.years) }),
    isDay: isAnyDay ? (isAnyWeekday ? () => true : weekdayRule(weekday)) : dayRule(day),
  };
}

function dayRule(text: string): (day: Day) => boolean {
  const last = /^L(?:-([0-9]{1,2}))?$/.exec(text);
  if (last) return ({ day, daysInMonth }) => day === daysInMonth - Number(last[1] ?? 0);
  if (text === 'LW') return date => date.day === nearestWorkday(date, date.daysInMonth);
  const near = /^([0-9]{1,2})W$/.exec(text);
  if (near) {
    const [wanted] = parseField(near[1]!, fields.days);
    return date => wanted! <= date.daysInMonth && date.day === nearestWorkday(date, wanted!);
  }
  const days = parseField(text, fields.days);
  return ({ day }) => days.has(day);
}

/** The day from Monday to Friday of the same month that is nearest to a day of it. */
function nearestWorkday(date: Day, wanted: number): number {
  const weekday = date.with({ day: wanted }).dayOfWeek;
  if (weekday === 6) return wanted === 1 ? 3 : wanted - 1;
  if (weekday === 7) return wanted === date.daysInMonth ? wanted - 2 : wanted + 1;
  return wanted;
}

function weekdayRule(text: string): (day: Day) => boolean {
  if (text === 'L') return ({ dayOfWeek }) => dayOfWeek === 6;
  const last = /^([A-Za-z0-9]+)L$/.exec(text);
  if (last) {
    const [wanted] = parseField(last[1]!, fields.weekdays);
    return date => quartzWeekday(date) === wanted && date.day > date.daysInMonth - 7;
  }
  const [, word, nth] = /^([A-Za-z0-9]+)#([1-5])$/.exec(text) ?? [];
  if (word !== undefined) {
    const [wanted] = parseField(word, fields.weekdays);
    return date => quartzWeekday(date) === wanted && Math.ceil(date.day / 7) === Number(nth);
  }
  const weekdays = parseField(text, fields.weekdays);
  return date => weekdays.has(quartzWeekday(date));
}

const quartzWeekday = ({ dayOfWeek }: Day): number => (dayOfWeek % 7) + 1;

const dayMinutes = 1440;
/** Weekdays and dates come together again within so many days. */
const daysToCompare = 1500;

/** The least number of minutes between two moments of a pattern; infinite when none follows another within a day or so. */
export function leastMinutesBetween(pattern: CalendarPattern, now: Date): number {
  const times = [...pattern.hours].flatMap(hour => [...pattern.minutes].map(minute => hour * 60 + minute)).toSorted((a, b) => a - b);
  const withinDay = Math.min(...times.slice(1).map((time, i) => time - times[i]!));
  const overnight = times[0]! + dayMinutes - times.at(-1)!;
  return overnight < withinDay && hasNeighbours(pattern, now) ? overnight : withinDay;
}

/** Whether two days of the pattern follow each other. */
function hasNeighbours(pattern: CalendarPattern, now: Date): boolean {
  const midnights = calendarTimes({ ...pattern, hours: new Set([0]), minutes: new Set([0]) });
  const end = now.getTime() + daysToCompare * dayMinutes * 60_000;
  let before = -Infinity;
  for (let at = midnights.next(now.getTime()); at !== undefined && at < end; at = midnights.next(at)) {
    if (at - before <= dayMinutes * 60_000) return true;
    before = at;
  }
  return false;
}
