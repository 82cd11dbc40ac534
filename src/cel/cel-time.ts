import { CelError } from './cel.ts';
import { Duration, Timestamp } from './cel-values.ts';

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** Nanoseconds since the epoch of an RFC 3339 text, or undefined. */
export function parseRfc3339(text: string): bigint | undefined {
  const found = rfc3339.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = found;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(at);
  if (Number(year) < 100) date.setUTCFullYear(Number(year));
  const isReal =
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60;
  if (!isReal) return undefined;
  const offsetMinutes = zone.length === 1 ? 0 : (zone[0] === '-' ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return (BigInt(date.getTime()) - BigInt(offsetMinutes) * 60_000n) * 1_000_000n + nanos;
}

export function parseTimestamp(text: string): Timestamp {
  const nanos = parseRfc3339(text) ?? (/^\d{4}-\d\d-\d\d$/.test(text) ? parseRfc3339(`${text}T00:00:00Z`) : undefined);
  if (nanos === undefined)
    throw new CelError(
      `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(text)} as "2006"`,
    );
  return new Timestamp(nanos);
}

export function printTimestamp({ nanos }: Timestamp): string {
  const millis = floorDiv(nanos, 1_000_000n);
  const whole = new Date(Number(millis)).toISOString().slice(0, 19);
  const rest = nanos - floorDiv(nanos, 1_000_000_000n) * 1_000_000_000n;
  return rest === 0n ? `${whole}Z` : `${whole}.${rest.toString().padStart(9, '0').replace(/0+$/, '')}Z`;
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

const unitNanos: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Go's duration syntax: `1h2m3.5s`. Undefined when it is not one. */
export function parseGoDuration(text: string): bigint | undefined {
  const found = /^([+-]?)(.+)$/s.exec(text);
  if (!found) return undefined;
  if (found[2] === '0') return 0n;
  const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
  let total = 0n;
  let at = 0;
  while (at < found[2]!.length) {
    part.lastIndex = at;
    const piece = part.exec(found[2]!);
    if (!piece || (piece[1] === '' && (piece[2] ?? '') === '')) return undefined;
    const unit = unitNanos[piece[3]!]!;
    const fraction = (piece[2] ?? '').slice(0, 18);
    total += BigInt(piece[1] || '0') * unit + (fraction === '' ? 0n : (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length));
    at = part.lastIndex;
  }
  if (total > 9223372036854775807n) return undefined;
  return found[1] === '-' ? -total : total;
}

export function parseDuration(text: string): Duration {
  const nanos = parseGoDuration(text);
  if (nanos === undefined) throw new CelError(`time: invalid duration ${JSON.stringify(text)}`);
  return new Duration(nanos);
}

/** As CEL prints a duration: seconds with an `s`. */
export function printDuration({ nanos }: Duration): string {
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = (size % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${sign}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** The calendar fields of a moment in a time zone (`UTC`, an IANA name or `+02:00`), as a Date whose UTC fields hold them. */
export function inZone({ nanos }: Timestamp, zone: string): Date {
  const at = Number(floorDiv(nanos, 1_000_000n));
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed) return new Date(at + (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000);
  if (zone === '' || zone === 'UTC') return new Date(at);
  try {
    const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
    return new Date(at + local.offsetNanoseconds / 1_000_000);
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}
