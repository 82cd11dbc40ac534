import { fn } from '../go/go-function.ts';
import { formatTime, GoTime, isZone, timeType } from '../go/go-time.ts';
import { parseTime } from '../go/parse-time.ts';
import { stringType } from '../go/go-type.ts';
import { GoError, GoFunction, GoInt, type GoValue } from '../go/go-value.ts';
import { parseDuration, printDuration } from './durations.ts';

const second = 1_000_000_000n;
const zeroTime = new GoTime(-62_135_596_800n * second, 'UTC');

/** What dates are made from: a time, or seconds since 1970; anything else is now. */
function timeOf(value: GoValue): GoTime {
  if (value instanceof GoTime) return value;
  const isSeconds = value instanceof GoInt && ['int', 'int32', 'int64'].includes(value.type.kind);
  return isSeconds ? new GoTime(value.value * second, 'Local') : GoTime.now();
}

function inZone(layout: string, date: GoValue, zone: string): string {
  return formatTime(timeOf(date).in(isZone(zone) ? zone : 'UTC'), layout);
}

function modify(change: string, date: GoTime, refuses: boolean): GoTime {
  const by = parseDuration(change);
  if (by !== undefined) return new GoTime(date.nanoseconds + by, date.zone);
  if (refuses) throw new GoError(`time: invalid duration ${JSON.stringify(change)}`);
  return date;
}

function read(layout: string, text: string, refuses: boolean): GoTime {
  try {
    return parseTime(layout, text, 'Local');
  } catch (error) {
    if (refuses) throw new GoError((error as Error).message);
    return zeroTime;
  }
}

function ago(date: GoValue): string {
  const passed = GoTime.now().nanoseconds - timeOf(date).nanoseconds;
  const half = passed < 0n ? -second / 2n : second / 2n;
  return printDuration(((passed + half) / second) * second);
}

function duration(value: GoValue): string {
  if (value instanceof GoInt && value.type.kind === 'int64') return printDuration(value.value * second);
  return printDuration(typeof value === 'string' && /^[+-]?[0-9]+$/.test(value) ? BigInt(value) * second : 0n);
}

const roundUnits: readonly [bigint, string][] = [
  [3600n * 24n * 365n * second, 'y'],
  [3600n * 24n * 30n * second, 'mo'],
  [3600n * 24n * second, 'd'],
  [3600n * second, 'h'],
  [60n * second, 'm'],
  [second, 's'],
];

function roundDuration(value: GoValue): string {
  let length = 0n;
  if (typeof value === 'string') length = parseDuration(value) ?? 0n;
  else if (value instanceof GoInt && value.type.kind === 'int64') length = value.value;
  else if (value instanceof GoTime) length = GoTime.now().nanoseconds - value.nanoseconds;
  const size = length < 0n ? -length : length;
  const unit = roundUnits.find(([one]) => size > one);
  return unit ? `${size / unit[0]}${unit[1]}` : '0s';
}

const modifier = (refuses: boolean): GoFunction =>
  new GoFunction([stringType, timeType], ([change, date]) => modify(change as string, date as GoTime, refuses));
const zoned = fn(['string', 'any', 'string'], inZone);

export const dateFunctions: Readonly<Record<string, GoFunction>> = {
  now: fn([], () => GoTime.now()),
  ago: fn(['any'], ago),
  date: fn(['string', 'any'], (layout, date) => inZone(layout, date, 'Local')),
  dateInZone: zoned,
  date_in_zone: zoned,
  dateModify: modifier(false),
  date_modify: modifier(false),
  mustDateModify: modifier(true),
  must_date_modify: modifier(true),
  duration: fn(['any'], duration),
  durationRound: fn(['any'], roundDuration),
  htmlDate: fn(['any'], date => inZone('2006-01-02', date, 'Local')),
  htmlDateInZone: fn(['any', 'string'], (date, zone) => inZone('2006-01-02', date, zone)),
  toDate: fn(['string', 'string'], (layout, text) => read(layout, text, false)),
  mustToDate: fn(['string', 'string'], (layout, text) => read(layout, text, true)),
  unixEpoch: new GoFunction([timeType], ([date]) => (date as GoTime).unix.toString()),
};
