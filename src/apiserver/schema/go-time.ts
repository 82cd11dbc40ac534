/** Points in time as Go's time package reads and prints them for the Kubernetes API: UTC, whole seconds or microseconds. */
export interface GoInstant {
  /** Seconds since 1970. */
  readonly seconds: number;
  readonly nanos: number;
}

export class TimeError extends Error {}

const secondsLayout = '2006-01-02T15:04:05Z07:00';
const microLayout = '2006-01-02T15:04:05.000000Z07:00';
/** Go's zero time, 0001-01-01T00:00:00Z: it prints as null. */
const zeroSeconds = -62135596800;

const canonicalSeconds = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$/;
const canonicalMicros = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z$/;

/** What metav1.Time prints for a text that it reads; null for the zero time. Throws TimeError. */
export function canonicalTime(text: string): string | null {
  if (canonicalSeconds.test(text) && !text.startsWith('000')) return text;
  return printTime(parseGoTime(text, secondsLayout));
}

/** The same for metav1.MicroTime. */
export function canonicalMicroTime(text: string): string | null {
  if (canonicalMicros.test(text) && !text.startsWith('000')) return text;
  return printMicroTime(parseGoTime(text, microLayout));
}

export function printTime({ seconds }: GoInstant): string | null {
  return seconds === zeroSeconds ? null : `${printSeconds(seconds)}Z`;
}

export function printMicroTime({ seconds, nanos }: GoInstant): string | null {
  if (seconds === zeroSeconds && nanos === 0) return null;
  return `${printSeconds(seconds)}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
}

function printSeconds(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw new TimeError(`time ${seconds} is out of range`);
  const iso = date.toISOString();
  // Years beyond 9999 carry a sign and six digits in JavaScript.
  return (iso.startsWith('+0') ? iso.slice(2) : iso).slice(0, -5);
}

/** The instant of a time as it is printed. */
export function parseInstant(text: string): GoInstant {
  return parseGoTime(text, text.includes('.') ? microLayout : secondsLayout);
}

function parseGoTime(value: string, layout: string): GoInstant {
  let rest = value;
  const fail = (element: string, at = rest): never => {
    throw new TimeError(`parsing time ${quote(value)} as ${quote(layout)}: cannot parse ${quote(at)} as ${quote(element)}`);
  };
  const outOfRange = (what: string): never => {
    throw new TimeError(`parsing time ${quote(value)}: ${what} out of range`);
  };
  const take = (pattern: RegExp, element: string): string => {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) return fail(element);
    rest = rest.slice(found.length);
    return found;
  };

  const year = Number(take(/^[0-9]{4}/, '2006'));
  take(/^-/, '-');
  const month = Number(take(/^[0-9]{2}/, '01'));
  if (month < 1 || month > 12) outOfRange('month');
  take(/^-/, '-');
  const day = Number(take(/^[0-9]{2}/, '02'));
  take(/^T/, 'T');
  const hour = Number(take(/^[0-9]{1,2}/, '15'));
  if (hour > 23) outOfRange('hour');
  take(/^:/, ':');
  const minute = Number(take(/^[0-9]{2}/, '04'));
  if (minute > 59) outOfRange('minute');
  take(/^:/, ':');
  const second = Number(take(/^[0-9]{2}/, '05'));
  if (second > 59) outOfRange('second');
  const fraction = layout === microLayout ? take(/^\.[0-9]{6}/, '.000000') : (/^[.,][0-9]+/.exec(rest)?.[0] ?? '');
  if (layout === secondsLayout) rest = rest.slice(fraction.length);
  const zone = /^(?:Z|[+-][0-9]{2}:[0-9]{2})/.exec(rest)?.[0] ?? fail('Z07:00');
  rest = rest.slice(zone.length);
  if (rest !== '') throw new TimeError(`parsing time ${quote(value)}: extra text: ${quote(rest)}`);
  if (day < 1 || day > daysIn(year, month)) outOfRange('day');

  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return { seconds: date.getTime() / 1000 - offsetSeconds(zone), nanos: Number(fraction.slice(1, 10).padEnd(9, '0')) };
}

function offsetSeconds(zone: string): number {
  if (zone === 'Z') return 0;
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60;
  return zone.startsWith('-') ? -seconds : seconds;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

const quote = (text: string) => JSON.stringify(text);

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Go's time.ParseDuration, in nanoseconds. Throws TimeError. */
export function parseGoDuration(text: string): bigint {
  const invalid = () => new TimeError(`time: invalid duration ${quote(text)}`);
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0n;
  if (unsigned === '') throw invalid();
  let rest = unsigned;
  let total = 0n;
  while (rest !== '') {
    const match = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/.exec(rest)!;
    const [whole, digits = '', fraction = '', unit = ''] = match;
    if (digits === '' && fraction === '') throw invalid();
    if (unit === '') throw new TimeError(`time: missing unit in duration ${quote(text)}`);
    const nanos = unitNanos[unit];
    if (nanos === undefined) throw new TimeError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    total += BigInt(digits || '0') * nanos + (BigInt(fraction || '0') * nanos) / 10n ** BigInt(fraction.length);
    rest = rest.slice(whole.length);
  }
  if (total > 2n ** 63n - 1n) throw invalid();
  return text.startsWith('-') ? -total : total;
}

/** Go's Duration.String: `1h0m5s`, `1.5s`, `300ms`, `0s`. */
export function printGoDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const n = nanos < 0n ? -nanos : nanos;
  if (n < 1_000n) return `${sign}${n}ns`;
  if (n < 1_000_000n) return `${sign}${decimal(n, 1_000n)}µs`;
  if (n < 1_000_000_000n) return `${sign}${decimal(n, 1_000_000n)}ms`;
  const seconds = `${decimal(n % 60_000_000_000n, 1_000_000_000n)}s`;
  const minutes = n / 60_000_000_000n;
  if (minutes === 0n) return `${sign}${seconds}`;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(n: bigint, unit: bigint): string {
  const fraction = (n % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${n / unit}` : `${n / unit}.${fraction}`;
}
