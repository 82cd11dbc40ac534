import { goQuote } from '../../util/go-quote.ts';
import { fn } from '../go/go-function.ts';
import { printValue } from '../go/go-format.ts';
import { GoDuration } from '../go/go-duration.ts';
import { GoError, GoInt, int64, typeOf, type GoFunction, type GoValue } from '../go/go-value.ts';
import { parseFloat64 } from '../sprig/convert.ts';
import { parseDuration } from '../sprig/durations.ts';

const second = 1_000_000_000n;
const maxSeconds = (2n ** 63n - 1n) / second;

/** A duration from a text such as `1h2m` or from seconds. */
function toDuration(value: GoValue): GoDuration {
  if (value instanceof GoDuration) return value;
  if (value === null || value === undefined) throw new GoError('invalid duration');
  if (typeof value === 'number') return fromSeconds(value);
  if (value instanceof GoInt) {
    if (value.value > maxSeconds || value.value < -maxSeconds) throw new GoError(`duration seconds overflow: ${value.value}`);
    return new GoDuration(value.value * second);
  }
  if (typeof value !== 'string') throw new GoError(`unsupported duration type ${typeOf(value).name}`);
  const text = value.trim();
  if (text === '') throw new GoError('empty duration');
  const parsed = parseDuration(text);
  if (parsed !== undefined) return new GoDuration(parsed);
  const seconds = parseFloat64(text);
  if (seconds === undefined) throw new GoError(`could not parse duration ${goQuote(value)}`);
  return fromSeconds(seconds);
}

function fromSeconds(seconds: number): GoDuration {
  if (!Number.isFinite(seconds)) throw new GoError(`invalid duration seconds: ${printValue(seconds)}`);
  if (Math.abs(seconds) > 2 ** 63 / 1e9) throw new GoError(`duration seconds overflow: ${printValue(seconds)}`);
  return new GoDuration(BigInt.asIntN(64, BigInt(Math.trunc(seconds * 1e9))));
}

/** What cannot be read as a duration counts as none. */
function orZero(value: GoValue): GoDuration {
  try {
    return toDuration(value);
  } catch (error) {
    if (error instanceof GoError) return new GoDuration(0n);
    throw error;
  }
}

function toMultiple(value: GoValue, of: GoValue, change: (duration: GoDuration, of: GoDuration) => GoDuration): GoDuration {
  const duration = orZero(value);
  // A multiple of nothing changes nothing.
  return change(duration, orZero(of));
}

export const durationFunctions: Readonly<Record<string, GoFunction>> = {
  mustToDuration: fn(['any'], toDuration),
  durationSeconds: fn(['any'], value => orZero(value).seconds),
  durationMilliseconds: fn(['any'], value => int64(orZero(value).nanoseconds / 1_000_000n)),
  durationMicroseconds: fn(['any'], value => int64(orZero(value).nanoseconds / 1000n)),
  durationNanoseconds: fn(['any'], value => int64(orZero(value).nanoseconds)),
  durationMinutes: fn(['any'], value => orZero(value).minutes),
  durationHours: fn(['any'], value => orZero(value).hours),
  durationDays: fn(['any'], value => orZero(value).hours / 24),
  durationWeeks: fn(['any'], value => orZero(value).hours / 24 / 7),
  durationRoundTo: fn(['any', 'any'], (value, of) => toMultiple(value, of, (duration, m) => duration.round(m))),
  durationTruncateTo: fn(['any', 'any'], (value, of) => toMultiple(value, of, (duration, m) => duration.truncate(m))),
};
