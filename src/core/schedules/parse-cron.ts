import type { CalendarPattern } from './calendar-times.ts';
import { monthNames, named, parseField, ScheduleError, weekdayNames, type FieldBounds } from './calendar-field.ts';

const fields: readonly FieldBounds[] = [
  { what: 'minutes', min: 0, max: 59 },
  { what: 'hours', min: 0, max: 23 },
  { what: 'days', min: 1, max: 31 },
  { what: 'months', min: 1, max: 12, names: monthNames },
  { what: 'weekdays', min: 0, max: 7, top: 6, names: named(weekdayNames, 0) },
];

/** Reads the five fields of cron: minute, hour, day of the month, month, day of the week. Throws ScheduleError. */
export function parseCron(text: string): CalendarPattern {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length) throw new ScheduleError(`a schedule has five fields, "${text.slice(0, 100)}" has ${parts.length}`);
  const [minutes, hours, days, months, weekdays] = fields.map((bounds, i) => parseField(parts[i]!, bounds)) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  if (weekdays.has(7)) weekdays.add(0);
  // When both are limited, a day that meets either will do.
  const needsBoth = parts[2]!.startsWith('*') || parts[4]!.startsWith('*');
  return {
    minutes,
    hours,
    months,
    isDay({ day, dayOfWeek }) {
      const isOfMonth = days.has(day);
      const isOfWeek = weekdays.has(dayOfWeek % 7);
      return needsBoth ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
    },
  };
}
