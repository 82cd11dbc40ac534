import { GoFunction, GoObject, int, int64, type GoInt, type GoValue } from './go-value.ts';
import { intType, stringType, type GoType } from './go-type.ts';

export const timeType: GoType = { name: 'time.Time', kind: 'struct' };
export const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A point in time seen from a zone, which is an IANA name, `UTC` or `Local`. */
export class GoTime extends GoObject {
  readonly goType = timeType;
  readonly nanoseconds: bigint;
  readonly zone: string;

  constructor(nanoseconds: bigint, zone: string) {
    super();
    this.nanoseconds = nanoseconds;
    this.zone = zone;
  }

  static now(): GoTime {
    return new GoTime(BigInt(Date.now()) * 1_000_000n, 'Local');
  }

  in(zone: string): GoTime {
    return new GoTime(this.nanoseconds, zone);
  }

  get unix(): bigint {
    return floorDivide(this.nanoseconds, 1_000_000_000n);
  }

  override method(name: string): GoFunction | undefined {
    const give = (value: () => GoValue): GoFunction => new GoFunction([], value);
    const parts = partsOf(this);
    switch (name) {
      case 'Format':
        return new GoFunction([stringType], ([layout]) => formatTime(this, layout as string));
      case 'String':
        return give(() => this.print());
      case 'Unix':
        return give(() => int64(this.unix));
      case 'UnixMilli':
        return give(() => int64(floorDivide(this.nanoseconds, 1_000_000n)));
      case 'UnixMicro':
        return give(() => int64(floorDivide(this.nanoseconds, 1000n)));
      case 'UnixNano':
        return give(() => int64(this.nanoseconds));
      case 'Year':
      case 'Day':
      case 'Hour':
      case 'Minute':
      case 'Second':
      case 'Nanosecond':
      case 'YearDay':
        return give(() => int(parts[name.toLowerCase() as 'year']));
      case 'Month':
        return give(() => new NamedNumber('time.Month', months[parts.month - 1]!));
      case 'Weekday':
        return give(() => new NamedNumber('time.Weekday', weekdays[parts.weekday]!));
      case 'AddDate':
        return new GoFunction([intType, intType, intType], args => this.addDate(args.map(arg => Number((arg as GoInt).value))));
      case 'IsZero':
        return give(() => this.nanoseconds === zeroTime);
      case 'UTC':
        return give(() => this.in('UTC'));
      case 'Local':
        return give(() => this.in('Local'));
    }
    return undefined;
  }

  private addDate([years = 0, months = 0, days = 0]: readonly number[]): GoTime {
    const { year, month, day } = partsOf(this);
    const added = Date.UTC(year + years, month - 1 + months, day + days) - Date.UTC(year, month - 1, day);
    return new GoTime(this.nanoseconds + BigInt(added) * 1_000_000n, this.zone);
  }

  override toJson(): GoValue {
    return formatTime(this, '2006-01-02T15:04:05.999999999Z07:00');
  }

  print(): string {
    return formatTime(this, '2006-01-02 15:04:05.999999999 -0700 MST');
  }
}

/** The first second of the year 1, which Go's times begin with. */
const zeroTime = -62_135_596_800_000_000_000n;

/** A number that prints as a name. */
class NamedNumber extends GoObject {
  readonly goType: GoType;
  readonly #name: string;

  constructor(type: string, name: string) {
    super();
    this.goType = { name: type, kind: 'int' };
    this.#name = name;
  }

  override method(name: string): GoFunction | undefined {
    return name === 'String' ? new GoFunction([], () => this.#name) : undefined;
  }

  print(): string {
    return this.#name;
  }
}

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: number;
  readonly yearday: number;
  readonly nanosecond: number;
  readonly offsetSeconds: number;
  readonly zoneName: string;
}

export const localZone = (): string => process.env['TZ'] ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Whether the name is a zone that is known here. */
export function isZone(name: string): boolean {
  if (name === 'Local' || name === 'UTC' || name === '') return true;
  try {
    Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** Seconds by which a zone is ahead of UTC at a moment. */
export function offsetOf(zone: string, milliseconds: number): { seconds: number; name: string } {
  const name = zone === 'Local' ? localZone() : zone;
  if (name === 'UTC' || name === '' || name === 'Etc/UTC') return { seconds: 0, name: 'UTC' };
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    timeZoneName: 'short',
  });
  const parts = Object.fromEntries(format.formatToParts(milliseconds).map(part => [part.type, part.value]));
  const number = (key: string): number => Number(parts[key]);
  const local = Date.UTC(number('year'), number('month') - 1, number('day'), number('hour'), number('minute'), number('second'));
  return { seconds: Math.round((local - Math.floor(milliseconds / 1000) * 1000) / 1000), name: parts['timeZoneName'] ?? name };
}

function partsOf({ nanoseconds, zone }: GoTime): Parts {
  const milliseconds = Number(floorDivide(nanoseconds, 1_000_000n));
  const { seconds: offsetSeconds, name } = offsetOf(zone, milliseconds);
  const shifted = new Date(milliseconds + offsetSeconds * 1000);
  const year = shifted.getUTCFullYear();
  const nanosecond = Number(nanoseconds - floorDivide(nanoseconds, 1_000_000_000n) * 1_000_000_000n);
  return {
    year,
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
    weekday: shifted.getUTCDay(),
    yearday: Math.floor((Date.UTC(year, shifted.getUTCMonth(), shifted.getUTCDate()) - Date.UTC(year, 0, 1)) / 86_400_000) + 1,
    nanosecond,
    offsetSeconds,
    zoneName: /^GMT[+-]/.test(name) ? offset(offsetSeconds, { hasColon: false, hasMinutes: offsetSeconds % 3600 !== 0 }) : name,
  };
}

/** The pieces of a layout that stand for something; what stands between them is copied. */
export const layoutPieces =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|Z07:00:00|Z070000|Z07:00|Z0700|Z07|-07:00:00|-070000|-07:00|-0700|-07|002|__2|_2(?!006)|01|02|03|04|05|06|15|PM|pm|[.,](?:0+|9+)(?![0-9])|1|2|3|4|5/g;

const two = (value: number): string => String(value).padStart(2, '0');

/** Time.Format. */
export function formatTime(time: GoTime, layout: string): string {
  const parts = partsOf(time);
  return layout.replace(layoutPieces, piece => formatPiece(piece, parts));
}

function formatPiece(piece: string, parts: Parts): string {
  const { year, month, day, hour, minute, second, weekday, yearday, nanosecond, offsetSeconds, zoneName } = parts;
  switch (piece) {
    case 'January':
      return months[month - 1]!;
    case 'Jan':
      return months[month - 1]!.slice(0, 3);
    case 'Monday':
      return weekdays[weekday]!;
    case 'Mon':
      return weekdays[weekday]!.slice(0, 3);
    case 'MST':
      return zoneName;
    case '2006':
      return String(year).padStart(4, '0');
    case '06':
      return two(year % 100);
    case '01':
      return two(month);
    case '1':
      return String(month);
    case '02':
      return two(day);
    case '2':
      return String(day);
    case '_2':
      return String(day).padStart(2, ' ');
    case '002':
      return String(yearday).padStart(3, '0');
    case '__2':
      return String(yearday).padStart(3, ' ');
    case '15':
      return two(hour);
    case '03':
      return two(hour % 12 || 12);
    case '3':
      return String(hour % 12 || 12);
    case '04':
      return two(minute);
    case '4':
      return String(minute);
    case '05':
      return two(second);
    case '5':
      return String(second);
    case 'PM':
      return hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return hour >= 12 ? 'pm' : 'am';
  }
  if (piece.startsWith('.') || piece.startsWith(',')) return fraction(piece, nanosecond);
  if (piece.startsWith('Z') && offsetSeconds === 0) return 'Z';
  return offset(offsetSeconds, {
    hasColon: piece.includes(':'),
    hasMinutes: piece.length > 3,
    hasSeconds: /00:00$|0000$/.test(piece),
  });
}

function fraction(piece: string, nanosecond: number): string {
  const digits = String(nanosecond)
    .padStart(9, '0')
    .slice(0, piece.length - 1);
  if (piece[1] === '0') return piece[0]! + digits;
  const trimmed = digits.replace(/0+$/, '');
  return trimmed === '' ? '' : piece[0]! + trimmed;
}

function offset(
  seconds: number,
  { hasColon, hasMinutes, hasSeconds = false }: { hasColon: boolean; hasMinutes: boolean; hasSeconds?: boolean },
): string {
  const size = Math.abs(seconds);
  const colon = hasColon ? ':' : '';
  const minutes = hasMinutes ? colon + two(Math.floor(size / 60) % 60) : '';
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(size / 3600))}${minutes}${hasSeconds ? colon + two(size % 60) : ''}`;
}
