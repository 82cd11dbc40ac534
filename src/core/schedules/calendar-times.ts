/** Moments on whole minutes that recur. */
export interface CalendarTimes {
  /** The first moment after this one, in milliseconds; undefined when there is none within some years. */
  next(afterMs: number): number | undefined;
  /** The last moment after `fromMs` and not after `untilMs`. */
  last(fromMs: number, untilMs: number): number | undefined;
}

export interface CalendarPattern {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** Any when absent. */
  readonly years?: ReadonlySet<number>;
  isDay(date: Temporal.PlainDate | Temporal.ZonedDateTime): boolean;
}

const minuteMs = 60_000;
const yearsAhead = 5;

/** The moments of a pattern as clocks of a zone show them. A moment that the zone skips does not come; one that it repeats comes twice. */
export function calendarTimes(pattern: CalendarPattern, timeZone = 'UTC'): CalendarTimes {
  const next = (afterMs: number) => nextMatch(pattern, timeZone, afterMs);
  return { next, last: (fromMs, untilMs) => lastMatch(next, fromMs, untilMs) };
}

/** Walks from field to field, the largest first. */
function nextMatch(pattern: CalendarPattern, zone: string, afterMs: number): number | undefined {
  let at = Temporal.Instant.fromEpochMilliseconds((Math.floor(afterMs / minuteMs) + 1) * minuteMs).toZonedDateTimeISO(zone);
  const minutes = [...pattern.minutes].toSorted((a, b) => a - b);
  const lastYear = Math.max(at.year, ...(pattern.years ?? [])) + yearsAhead;
  while (at.year <= lastYear) {
    if (pattern.years && !pattern.years.has(at.year)) at = at.with({ month: 1, day: 1 }).add({ years: 1 }).startOfDay();
    else if (!pattern.months.has(at.month)) at = at.with({ day: 1 }).add({ months: 1 }).startOfDay();
    else if (!pattern.isDay(at)) at = at.add({ days: 1 }).startOfDay();
    else if (!pattern.hours.has(at.hour)) at = at.add({ minutes: 60 - at.minute });
    else if (!pattern.minutes.has(at.minute)) at = at.add({ minutes: (minutes.find(minute => minute > at.minute) ?? 60) - at.minute });
    else return at.epochMilliseconds;
  }
  return undefined;
}

/** Looks back further and further, so that a schedule of every minute is not walked through from years ago. */
function lastMatch(next: CalendarTimes['next'], fromMs: number, untilMs: number): number | undefined {
  for (let windowMs = minuteMs; ; windowMs *= 10) {
    const start = Math.max(fromMs, untilMs - windowMs);
    let found: number | undefined;
    for (let at = next(start); at !== undefined && at <= untilMs; at = next(at)) found = at;
    if (found !== undefined || start === fromMs) return found;
  }
}
