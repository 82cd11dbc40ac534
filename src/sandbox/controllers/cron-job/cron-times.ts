import { cronFields } from '../../../apiserver/builtin/workloads/cron-schedule.ts';
import { parseGoDuration } from '../../../apiserver/schema/go-time.ts';
import { calendarTimes, type CalendarPattern, type CalendarTimes } from '../../../core/schedules/calendar-times.ts';

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
export function cronTimes(schedule: string, timeZone = 'UTC'): CalendarTimes {
  const zoned = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/.exec(schedule);
  const zone = zoned?.[1] || timeZone;
  const text = (zoned?.[2] ?? schedule).trim();
  if (text.startsWith('@every ')) return everyTimes(Number(parseGoDuration(text.slice('@every '.length)) / 1_000_000n));
  return calendarTimes(parsePattern(descriptors[text] ?? text), zone);
}

/** Moments at a fixed distance, counted from wherever one starts to look. Seconds are the shortest distance. */
function everyTimes(intervalMs: number): CalendarTimes {
  const step = Math.max(1000, Math.floor(intervalMs / 1000) * 1000);
  return {
    next: afterMs => Math.floor(afterMs / 1000) * 1000 + step,
    last(fromMs, untilMs) {
      const times = Math.floor((untilMs - fromMs) / step);
      return times < 1 ? undefined : fromMs + times * step;
    },
  };
}

function parsePattern(text: string): CalendarPattern {
  const parts = text.split(/\s+/);
  const [minutes, hours, days, months, weekdays] = cronFields.map((bounds, i) => parseField(parts[i] ?? '*', bounds));
  const isAny = (part: string | undefined) => (part ?? '*').split(',').some(range => range.startsWith('*') || range.startsWith('?'));
  // When both are limited, a day that meets either will do.
  const needsBoth = isAny(parts[2]) || isAny(parts[4]);
  return {
    minutes: minutes!,
    hours: hours!,
    months: months!,
    isDay({ day, dayOfWeek }) {
      const isOfMonth = days!.has(day);
      const isOfWeek = weekdays!.has(dayOfWeek % 7);
      return needsBoth ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
    },
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
