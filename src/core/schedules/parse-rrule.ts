import { ScheduleError } from './calendar-field.ts';

export const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;

export interface WeekdayRule {
  /** 1 is Monday. */
  readonly weekday: number;
  /** The first of a month or year is 1, the last -1. Every one when absent. */
  readonly nth?: number;
}

/** What we understand of the recurrence rules of RFC 5545. */
export interface RecurrenceRule {
  readonly frequency: (typeof frequencies)[number];
  readonly interval: number;
  readonly count?: number;
  readonly until?: Until;
  readonly weekdays: readonly WeekdayRule[];
  readonly monthDays: readonly number[];
  readonly months: readonly number[];
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  /** 1 is Monday. */
  readonly weekStart: number;
}

/** The last moment: of UTC, or as clocks of the rule's zone show it. */
export interface Until {
  readonly at: Temporal.PlainDateTime;
  readonly isUtc: boolean;
}

const weekdayCodes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const known = new Set('FREQ INTERVAL COUNT UNTIL BYDAY BYMONTHDAY BYMONTH BYHOUR BYMINUTE WKST'.split(' '));
const maxCount = 10_000;

/** Reads `FREQ=WEEKLY;BYDAY=FR,SA`, with or without `RRULE:` before it. Throws ScheduleError, also for parts that we do not understand. */
export function parseRecurrence(text: string): RecurrenceRule {
  const parts = new Map<string, string>();
  for (const part of text
    .trim()
    .replace(/^RRULE:/i, '')
    .toUpperCase()
    .split(';')) {
    const [name = '', value = '', ...more] = part.split('=');
    if (!known.has(name) || value === '' || more.length > 0)
      throw new ScheduleError(`the rule has "${part.slice(0, 100)}", which is not understood`);
    if (parts.has(name)) throw new ScheduleError(`the rule has ${name} twice`);
    parts.set(name, value);
  }
  const frequency = frequencies.find(one => one === parts.get('FREQ'));
  if (!frequency) throw new ScheduleError(`FREQ must be one of ${frequencies.join(', ')}`);
  const weekdays = (parts.get('BYDAY')?.split(',') ?? []).map(code => parseWeekday(code, frequency));
  if (frequency === 'WEEKLY' && parts.has('BYMONTHDAY')) throw new ScheduleError('BYMONTHDAY has no meaning with FREQ=WEEKLY');
  if (parts.has('COUNT') && parts.has('UNTIL')) throw new ScheduleError('COUNT and UNTIL cannot both be given');
  const [interval = 1] = numbers(parts, 'INTERVAL', 1, 1000);
  const [count] = numbers(parts, 'COUNT', 1, maxCount);
  return {
    frequency,
    interval,
    ...(count !== undefined && { count }),
    ...(parts.has('UNTIL') && { until: parseUntil(parts.get('UNTIL')!) }),
    weekdays,
    monthDays: numbers(parts, 'BYMONTHDAY', -31, 31).filter(day => day !== 0),
    months: numbers(parts, 'BYMONTH', 1, 12),
    hours: numbers(parts, 'BYHOUR', 0, 23),
    minutes: numbers(parts, 'BYMINUTE', 0, 59),
    weekStart: parseWeekday(parts.get('WKST') ?? 'MO', 'WEEKLY').weekday,
  };
}

function numbers(parts: ReadonlyMap<string, string>, name: string, min: number, max: number): number[] {
  const values = parts.get(name)?.split(',') ?? [];
  return values.map(text => {
    const value = /^[+-]?[0-9]{1,5}$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) throw new ScheduleError(`${name} has "${text}", which is not between ${min} and ${max}`);
    return value;
  });
}

function parseWeekday(text: string, frequency: RecurrenceRule['frequency']): WeekdayRule {
  const [, nth, code = ''] = /^([+-]?[0-9]{1,2})?([A-Z]{2})$/.exec(text) ?? [];
  const weekday = weekdayCodes.indexOf(code) + 1;
  if (weekday === 0) throw new ScheduleError(`"${text}" is no day of the week`);
  if (nth === undefined) return { weekday };
  const isCounted = frequency === 'MONTHLY' || frequency === 'YEARLY';
  if (!isCounted || Number(nth) === 0) throw new ScheduleError(`"${text}" has no meaning with FREQ=${frequency}`);
  return { weekday, nth: Number(nth) };
}

function parseUntil(text: string): Until {
  const [, year, month, day, hour = '23', minute = '59', second = '59', utc] =
    /^([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})(Z)?)?$/.exec(text) ?? [];
  try {
    return { at: Temporal.PlainDateTime.from(`${year}-${month}-${day}T${hour}:${minute}:${second}`), isUtc: utc !== undefined };
  } catch {
    throw new ScheduleError(`UNTIL has "${text}", which is no time`);
  }
}
