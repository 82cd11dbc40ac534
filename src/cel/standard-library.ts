import { CelError } from './cel.ts';
import { overload, type Meter, type Overload } from './cel-overload.ts';
import { inZone, parseDuration, parseTimestamp, printDuration, printTimestamp } from './cel-time.ts';
import {
  celCompare,
  celEqual,
  checkedInt,
  checkedUint,
  Duration,
  isMap,
  mapGet,
  mapSize,
  maxInt,
  minInt,
  Optional,
  Timestamp,
  typeNameOf,
  TypeValue,
  Uint,
} from './cel-values.ts';
import { compileGoRegExp } from './go-regexp.ts';

/** What reading a text costs. */
export const textCost = (length: number): number => Math.ceil(length * 0.1);

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.length;
  return value instanceof Uint8Array ? value.length : 1;
};

const compareCost = (args: readonly unknown[], meter: Meter): void => {
  const size = Math.min(sizeOf(args[0]), sizeOf(args[1]));
  if (size > 10) meter.spend(textCost(size));
};

export const operators: readonly Overload[] = [
  ...['int', 'uint', 'double'].flatMap(type => [
    overload(`_-_(${type}, ${type}): ${type}`, ([a, b]: [unknown, unknown]) => arithmetic('-', a, b)),
    overload(`_*_(${type}, ${type}): ${type}`, ([a, b]: [unknown, unknown]) => arithmetic('*', a, b)),
    overload(`_/_(${type}, ${type}): ${type}`, ([a, b]: [unknown, unknown]) => arithmetic('/', a, b)),
    overload(`_+_(${type}, ${type}): ${type}`, ([a, b]: [unknown, unknown]) => arithmetic('+', a, b)),
  ]),
  ...['int', 'uint'].map(type => overload(`_%_(${type}, ${type}): ${type}`, ([a, b]: [unknown, unknown]) => arithmetic('%', a, b))),
  overload('_+_(string, string): string', ([a, b]: [string, string], meter) => {
    meter.spend(textCost(a.length + b.length));
    return a + b;
  }),
  overload('_+_(bytes, bytes): bytes', ([a, b]: [Uint8Array, Uint8Array]) => Uint8Array.from([...a, ...b])),
  overload('_+_(list<A>, list<A>): list<A>', ([a, b]: [unknown[], unknown[]], meter) => {
    meter.spend(textCost(a.length + b.length));
    return [...a, ...b];
  }),
  overload('_+_(duration, duration): duration', ([a, b]: [Duration, Duration]) => new Duration(checkedInt(a.nanos + b.nanos))),
  overload('_+_(duration, timestamp): timestamp', ([a, b]: [Duration, Timestamp]) => new Timestamp(a.nanos + b.nanos)),
  overload('_+_(timestamp, duration): timestamp', ([a, b]: [Timestamp, Duration]) => new Timestamp(a.nanos + b.nanos)),
  overload('_-_(duration, duration): duration', ([a, b]: [Duration, Duration]) => new Duration(checkedInt(a.nanos - b.nanos))),
  overload('_-_(timestamp, duration): timestamp', ([a, b]: [Timestamp, Duration]) => new Timestamp(a.nanos - b.nanos)),
  overload('_-_(timestamp, timestamp): duration', ([a, b]: [Timestamp, Timestamp]) => new Duration(a.nanos - b.nanos)),
  overload('-_(int): int', ([a]: [bigint]) => checkedInt(-a)),
  overload('-_(double): double', ([a]: [number]) => -a),
  overload('!_(bool): bool', ([a]: [boolean]) => !a),
  overload('_==_(A, A): bool', (args: unknown[], meter) => {
    compareCost(args, meter);
    return celEqual(args[0], args[1]);
  }),
  overload('_!=_(A, A): bool', (args: unknown[], meter) => {
    compareCost(args, meter);
    return !celEqual(args[0], args[1]);
  }),
  overload('@in(A, list<A>): bool', ([item, list]: [unknown, unknown[]], meter) => {
    meter.spend(list.length);
    return list.some(candidate => celEqual(candidate, item));
  }),
  overload('@in(A, map<A, B>): bool', ([key, map]: [unknown, Record<string, unknown>]) => mapGet(map, key) !== undefined),
  ...comparisons(),
];

function comparisons(): Overload[] {
  const ordered = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'].map(type => [type, type]);
  const numeric = ['int', 'uint', 'double'].flatMap(a => ['int', 'uint', 'double'].filter(b => a !== b).map(b => [a, b]));
  const tests: Record<string, (order: number) => boolean> = {
    '_<_': o => o < 0,
    '_<=_': o => o <= 0,
    '_>_': o => o > 0,
    '_>=_': o => o >= 0,
  };
  return Object.entries(tests).flatMap(([name, test]) =>
    [...ordered, ...numeric].map(([a, b]) =>
      overload(`${name}(${a}, ${b}): bool`, (args: unknown[], meter) => {
        compareCost(args, meter);
        return test(celCompare(args[0], args[1]));
      }),
    ),
  );
}

function arithmetic(op: '+' | '-' | '*' | '/' | '%', a: unknown, b: unknown): unknown {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(whole(op, a, b));
  if (a instanceof Uint && b instanceof Uint) return checkedUint(whole(op, a.value, b.value));
  if (typeof a !== 'number' || typeof b !== 'number') throw new CelError('no such overload');
  if (op === '+') return a + b;
  if (op === '-') return a - b;
  return op === '*' ? a * b : a / b;
}

function whole(op: '+' | '-' | '*' | '/' | '%', a: bigint, b: bigint): bigint {
  if (op === '+') return a + b;
  if (op === '-') return a - b;
  if (op === '*') return a * b;
  if (b === 0n) throw new CelError(op === '/' ? 'division by zero' : 'modulus by zero');
  return op === '/' ? a / b : a % b;
}

const points = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

function matches(text: string, pattern: string, meter: Meter): boolean {
  meter.spend(textCost(text.length) * Math.max(1, Math.ceil(pattern.length * 0.25)));
  try {
    return compileGoRegExp(pattern).test(text);
  } catch (cause) {
    throw new CelError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

const noConversion = (type: string): CelError => new CelError(`type conversion error from 'string' to '${type}'`);

function toInt(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return checkedInt(value.value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value >= 9223372036854775807 || value <= -9223372036854775808) throw new CelError('integer overflow');
    return BigInt(Math.trunc(value));
  }
  if (value instanceof Timestamp) return value.nanos / 1_000_000_000n;
  if (value instanceof Duration) return value.nanos;
  const text = String(value);
  const parsed = /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (parsed === undefined || parsed > maxInt || parsed < minInt) throw noConversion('int');
  return parsed;
}

function toDouble(value: unknown): number {
  if (typeof value === 'string') {
    if (!/^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)$/i.test(value)) throw noConversion('double');
    if (/inf/i.test(value)) return value.startsWith('-') ? -Infinity : Infinity;
    return Number(value);
  }
  return value instanceof Uint ? Number(value.value) : Number(value);
}

/** Go's shortest form of a double. */
export function printDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e21)) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return String(value);
}

export function toText(value: unknown): string {
  if (typeof value === 'number') return printDouble(value);
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof Duration) return printDuration(value);
  if (!(value instanceof Uint8Array)) return String(value);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(value);
  } catch (cause) {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string', { cause });
  }
}

const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseTexts = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function toBool(value: string): boolean {
  if (trueTexts.has(value)) return true;
  if (falseTexts.has(value)) return false;
  throw noConversion('bool');
}

const dayOfYear = (at: Date): number =>
  Math.floor((Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()) - Date.UTC(at.getUTCFullYear(), 0, 1)) / 86_400_000);

const calendar: Readonly<Record<string, (at: Date) => number>> = {
  getFullYear: at => at.getUTCFullYear(),
  getMonth: at => at.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: at => at.getUTCDate() - 1,
  getDate: at => at.getUTCDate(),
  getDayOfWeek: at => at.getUTCDay(),
  getHours: at => at.getUTCHours(),
  getMinutes: at => at.getUTCMinutes(),
  getSeconds: at => at.getUTCSeconds(),
  getMilliseconds: at => at.getUTCMilliseconds(),
};

const durationParts: Readonly<Record<string, (nanos: bigint) => bigint>> = {
  getHours: nanos => nanos / 3_600_000_000_000n,
  getMinutes: nanos => nanos / 60_000_000_000n,
  getSeconds: nanos => nanos / 1_000_000_000n,
  getMilliseconds: nanos => (nanos / 1_000_000n) % 1000n,
};

export const standardFunctions: readonly Overload[] = [
  ...['size(string): int', 'string.size(): int'].map(signature => overload(signature, ([text]: [string]) => BigInt(points(text)))),
  ...['size(bytes): int', 'bytes.size(): int', 'size(list<A>): int', 'list<A>.size(): int'].map(signature =>
    overload(signature, ([value]: [{ length: number }]) => BigInt(value.length)),
  ),
  ...['size(map<A, B>): int', 'map<A, B>.size(): int'].map(signature =>
    overload(signature, ([value]: [Record<string, unknown>]) => BigInt(mapSize(value))),
  ),
  ...['int', 'uint', 'double', 'string', 'timestamp', 'duration'].map(type =>
    overload(`int(${type}): int`, ([value]: [unknown]) => toInt(value)),
  ),
  ...['int', 'uint', 'double', 'string'].map(type =>
    overload(`uint(${type}): uint`, ([value]: [unknown]) => (value instanceof Uint ? value : checkedUint(toInt(value)))),
  ),
  ...['int', 'uint', 'double', 'string'].map(type => overload(`double(${type}): double`, ([value]: [unknown]) => toDouble(value))),
  ...['string', 'bool', 'int', 'uint', 'double', 'bytes', 'timestamp', 'duration'].map(type =>
    overload(`string(${type}): string`, ([value]: [unknown]) => toText(value)),
  ),
  overload('bool(bool): bool', ([value]: [boolean]) => value),
  overload('bool(string): bool', ([value]: [string]) => toBool(value)),
  overload('bytes(string): bytes', ([value]: [string]) => new TextEncoder().encode(value)),
  overload('bytes(bytes): bytes', ([value]: [Uint8Array]) => value),
  overload('dyn(A): dyn', ([value]: [unknown]) => value),
  overload('type(A): type', ([value]: [unknown]) => new TypeValue(typeNameOf(value))),
  overload('timestamp(string): timestamp', ([text]: [string]) => parseTimestamp(text)),
  overload('timestamp(timestamp): timestamp', ([value]: [Timestamp]) => value),
  overload('timestamp(int): timestamp', ([seconds]: [bigint]) => new Timestamp(seconds * 1_000_000_000n)),
  overload('duration(string): duration', ([text]: [string]) => parseDuration(text)),
  overload('duration(duration): duration', ([value]: [Duration]) => value),
  overload('duration(int): duration', ([nanos]: [bigint]) => new Duration(nanos)),
  overload('string.contains(string): bool', ([text, part]: [string, string], meter) => {
    meter.spend(textCost(text.length) * Math.max(1, textCost(part.length)));
    return text.includes(part);
  }),
  overload('string.startsWith(string): bool', ([text, part]: [string, string], meter) => {
    meter.spend(textCost(part.length));
    return text.startsWith(part);
  }),
  overload('string.endsWith(string): bool', ([text, part]: [string, string], meter) => {
    meter.spend(textCost(part.length));
    return text.endsWith(part);
  }),
  overload('string.matches(string): bool', ([text, pattern]: [string, string], meter) => matches(text, pattern, meter)),
  overload('matches(string, string): bool', ([text, pattern]: [string, string], meter) => matches(text, pattern, meter)),
  ...Object.entries(calendar).flatMap(([name, read]) => [
    overload(`timestamp.${name}(): int`, ([at]: [Timestamp]) => BigInt(read(inZone(at, 'UTC')))),
    overload(`timestamp.${name}(string): int`, ([at, zone]: [Timestamp, string]) => BigInt(read(inZone(at, zone)))),
  ]),
  ...Object.entries(durationParts).map(([name, read]) => overload(`duration.${name}(): int`, ([value]: [Duration]) => read(value.nanos))),
  overload('optional.of(A): optional<A>', ([value]: [unknown]) => new Optional(value)),
  overload('optional.ofNonZeroValue(A): optional<A>', ([value]: [unknown]) => (isZero(value) ? Optional.none : new Optional(value))),
  overload('optional.none(): optional<A>', () => Optional.none),
  overload('optional<A>.hasValue(): bool', ([value]: [Optional]) => value.isPresent),
  overload('optional<A>.value(): A', ([value]: [Optional]) => {
    if (!value.isPresent) throw new CelError('optional.none() dereference');
    return value.value;
  }),
  overload('optional<A>.or(optional<A>): optional<A>', ([value, other]: [Optional, Optional]) => (value.isPresent ? value : other)),
  overload('optional<A>.orValue(A): A', ([value, other]: [Optional, unknown]) => (value.isPresent ? value.value : other)),
];

function isZero(value: unknown): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  return isMap(value) && mapSize(value) === 0;
}
