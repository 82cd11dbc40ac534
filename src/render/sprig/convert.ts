import { printValue } from '../go/go-format.ts';
import { parseGoFloat, parseGoInteger } from '../go/parse-go-number.ts';
import { byteSlice } from '../go/go-type.ts';
import { GoComplex } from '../go/go-complex.ts';
import { GoDuration } from '../go/go-duration.ts';
import { GoInt, GoObject, isSlice, typeOf, type GoValue } from '../go/go-value.ts';
import { fromBytes } from '../go/go-bytes.ts';

/** Text of anything: what `toString`, `quote` and `join` see. */
export function textOf(value: GoValue): string {
  if (typeof value === 'string') return value;
  if (isSlice(value) && value.goType === byteSlice) return fromBytes(Buffer.from(value.map(byte => Number((byte as GoInt).value))));
  return printValue(value);
}

/** An integer of anything, 0 when it is not one. Text may be in any base Go knows, with an optional `.0`. */
export function toInt64(value: GoValue): bigint {
  // A duration is a type of its own, which Sprig does not know.
  if (value instanceof GoDuration) return 0n;
  if (value instanceof GoInt) return BigInt.asIntN(64, value.value);
  if (typeof value === 'number') return truncate(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') return parseInteger(value.replace(/\.0+$/, '')) ?? 0n;
  return 0n;
}

function truncate(value: number): bigint {
  // What Go makes of numbers out of range depends on the processor; this is what amd64 does.
  if (Number.isNaN(value) || value >= 2 ** 63 || value < -(2 ** 63)) return -(2n ** 63n);
  return BigInt(Math.trunc(value));
}

/** strconv.ParseInt with base 0 and 64 bits. */
export function parseInteger(text: string): bigint | undefined {
  const value = parseGoInteger(text);
  return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
}

/** A float of anything, 0 when it is not one. */
export function toFloat64(value: GoValue): number {
  if (typeof value === 'number') return value;
  if (value instanceof GoDuration) return 0;
  if (value instanceof GoInt) return Number(value.value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' ? (parseFloat64(value) ?? 0) : 0;
}

/** strconv.ParseFloat with 64 bits; undefined where it gives an error. */
export function parseFloat64(text: string): number | undefined {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special) return special[2]!.toLowerCase() === 'nan' ? NaN : special[1] === '-' ? -Infinity : Infinity;
  return parseGoFloat(text);
}

/** Sprig's emptiness: zero, "", false, nil, and lists and maps without items. */
export function isEmptyValue(value: GoValue): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  if (value instanceof GoInt) return value.value === 0n;
  if (Array.isArray(value)) return value.length === 0;
  if (value instanceof GoObject) return value.isZero;
  return value instanceof Map && value.size === 0;
}

/** reflect.DeepEqual. */
export function deepEqual(a: GoValue, b: GoValue): boolean {
  if (a === b) return true;
  if (a === undefined || a === null || b === undefined || b === null) return (a ?? null) === (b ?? null);
  if (a instanceof GoInt) return b instanceof GoInt && a.type.name === b.type.name && a.value === b.value;
  if (a instanceof GoComplex) return b instanceof GoComplex && a.real === b.real && a.imaginary === b.imaginary;
  if (a instanceof GoObject) return false;
  if (isSlice(a)) {
    return isSlice(b) && typeOf(a).name === typeOf(b).name && a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  }
  if (!(a instanceof Map) || !(b instanceof Map) || a.size !== b.size || typeOf(a).name !== typeOf(b).name) return false;
  return [...a].every(([key, item]) => b.has(key) && deepEqual(item, b.get(key)));
}
