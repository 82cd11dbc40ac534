/** Fixed-point numbers with a suffix, exactly as resource.Quantity reads, prints, compares and adds them. Immutable. */
export interface Quantity {
  /** The amount is `value * 10 ** scale`. */
  readonly value: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text it was read from, when that is already canonical in Go's eyes. */
  readonly text?: string;
}

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export class QuantityError extends Error {}

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongNumber = 'unable to parse numeric part of quantity';
const wrongSuffix = "unable to parse quantity's suffix";

const shape = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const decimalSuffixes: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const suffixOfDecimal = new Map(Object.entries(decimalSuffixes).map(([suffix, exponent]) => [exponent, suffix]));
const suffixOfBinary = new Map(Object.entries(binarySuffixes).map(([suffix, exponent]) => [exponent, suffix]));

const nano = -9;
const maxInt64 = 2n ** 63n - 1n;
// An exponent beyond this cannot be written by an honest client, and powers of ten of that size would stop the process.
const maxExponent = 10_000;

export const zeroQuantity: Quantity = { value: 0n, scale: 0, format: 'DecimalSI' };

/** Throws QuantityError with Go's words. */
export function parseQuantity(text: string): Quantity {
  if (text === '') throw new QuantityError(wrongFormat);
  if (text === '0') return { value: 0n, scale: 0, format: 'DecimalSI', text };
  const match = shape.exec(text);
  if (!match) throw new QuantityError(wrongFormat);
  const [, sign, digits, fraction = '', suffixText] = match as unknown as [string, string, string, string | undefined, string];
  // Go skips leading zeros; when nothing else follows, the number is a plain zero.
  const whole = digits.replace(/^0+/, '') || '0';
  const suffix = interpretSuffix(suffixText);
  if (!suffix) throw new QuantityError(wrongSuffix);
  const { exponent, format } = suffix;

  const fast = readFast(text, sign === '-', whole, fraction, suffix);
  if (fast) return fast;
  if (digits === '' && fraction === '') throw new QuantityError(wrongNumber);

  let value = BigInt(whole + fraction);
  let scale = -fraction.length;
  if (format === 'BinarySI') value <<= BigInt(exponent);
  else scale += exponent;
  if (Math.abs(scale) > maxExponent) throw new QuantityError(wrongNumber);
  ({ value, scale } = roundUp(value, scale, nano));
  let resulting = format;
  if (format === 'BinarySI') {
    if (compareParts(value, scale, maxInt64, 0) > 0) ({ value, scale } = { value: maxInt64, scale: 0 });
    // A part of one byte is told in thousandths and less.
    if (value > 0n && compareParts(value, scale, 1n, 0) < 0) resulting = 'DecimalSI';
  }
  return { value: sign === '-' ? -value : value, scale, format: resulting };
}

interface Suffix {
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function interpretSuffix(text: string): Suffix | undefined {
  const decimal = Object.hasOwn(decimalSuffixes, text) ? decimalSuffixes[text] : undefined;
  if (decimal !== undefined) return { exponent: decimal, format: 'DecimalSI' };
  const binary = Object.hasOwn(binarySuffixes, text) ? binarySuffixes[text] : undefined;
  if (binary !== undefined) return { exponent: binary, format: 'BinarySI' };
  return /^[eE][-+]?[0-9]+$/.test(text) ? { exponent: Number(text.slice(1)), format: 'DecimalExponent' } : undefined;
}

/** Numbers that fit an int64 easily; Go keeps their text when it looks canonical to it, which is not always the shortest form. */
function readFast(text: string, negative: boolean, whole: string, fraction: string, { exponent, format }: Suffix): Quantity | undefined {
  const isBinary = format === 'BinarySI';
  if (isBinary && fraction !== '') return undefined;
  const room = isBinary ? 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 : 18 - whole.length - fraction.length;
  const scale = (isBinary ? 0 : exponent) - fraction.length;
  if (room < 0 || scale < nano || scale > maxExponent) return undefined;

  const shifted = whole + fraction;
  const digits = BigInt(shifted);
  const magnitude = isBinary ? digits << BigInt(exponent) : digits;
  if (magnitude > maxInt64) return undefined;
  const value = negative ? -magnitude : magnitude;
  const isCanonical = isBinary ? (digits & 7n) !== 0n : scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
  return isCanonical ? { value, scale, format, text } : { value, scale, format };
}

/** The canonical form, or the text as it was written where Go leaves it alone. */
export function printQuantity(q: Quantity): string {
  if (q.text !== undefined) return q.text;
  if (q.value === 0n) return '0';
  const isSmall = compareToInt(q, -1024n) > 0 && compareToInt(q, 1024n) < 0;
  const isBinary = q.format === 'BinarySI' && !isSmall && isWhole(q);
  return isBinary ? printBinary(q) : printDecimal(q);
}

function printBinary(q: Quantity): string {
  const [amount, times] = removeFactors((q.value * power10(q.scale > 0 ? q.scale : 0)) / power10(q.scale < 0 ? -q.scale : 0), 1024n);
  return `${amount}${suffixOfBinary.get(times * 10) ?? ''}`;
}

function printDecimal(q: Quantity): string {
  const [whole, times] = removeFactors(q.value, 10n);
  let amount = whole;
  let exponent = q.scale + times;
  for (; exponent % 3 !== 0; exponent--) amount *= 10n;
  if (q.format !== 'DecimalExponent') return `${amount}${suffixOfDecimal.get(exponent) ?? ''}`;
  return exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
}

const canonicalForms = new Map<string, string>();

/** `print(parse(text))`, remembered: the same few quantities come again and again. */
export function canonicalQuantity(text: string): string {
  const known = canonicalForms.get(text);
  if (known !== undefined) return known;
  const canonical = printQuantity(parseQuantity(text));
  if (canonicalForms.size >= 4096) canonicalForms.clear();
  canonicalForms.set(text, canonical);
  return canonical;
}

/** Negative, zero or positive, as for sorting. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return compareParts(a.value, a.scale, b.value, b.scale);
}

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return combine(a, b, b.value);
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return combine(a, b, -b.value);
}

export function quantityOf(value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { value: BigInt(value), scale: 0, format };
}

export function milliQuantityOf(value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { value: BigInt(value), scale: -3, format };
}

/** -1, 0 or 1. */
export function signOfQuantity(q: Quantity): number {
  return q.value === 0n ? 0 : q.value > 0n ? 1 : -1;
}

/** The amount in units of `10 ** scale`, rounded up: `wholeValue(q)` is Go's Value(), `wholeValue(q, -3)` its MilliValue(). */
export function wholeValue(q: Quantity, scale = 0): bigint {
  const rounded = roundUp(q.value, q.scale, scale);
  return rounded.value * power10(rounded.scale - scale);
}

/** A zero takes the format of what is added to it. */
function combine(a: Quantity, b: Quantity, bValue: bigint): Quantity {
  const scale = Math.min(a.scale, b.scale);
  return {
    value: a.value * power10(a.scale - scale) + bValue * power10(b.scale - scale),
    scale,
    format: a.value === 0n ? b.format : a.format,
  };
}

function compareParts(a: bigint, aScale: number, b: bigint, bScale: number): number {
  const scale = Math.min(aScale, bScale);
  const left = a * power10(aScale - scale);
  const right = b * power10(bScale - scale);
  return left === right ? 0 : left < right ? -1 : 1;
}

function compareToInt(q: Quantity, n: bigint): number {
  return compareParts(q.value, q.scale, n, 0);
}

function isWhole({ value, scale }: Quantity): boolean {
  return scale >= 0 || value % power10(-scale) === 0n;
}

/** Away from zero: whoever asks for a little gets a little. */
function roundUp(value: bigint, scale: number, smallest: number): { value: bigint; scale: number } {
  if (scale >= smallest) return { value, scale };
  const divisor = power10(smallest - scale);
  const quotient = value / divisor;
  const rest = value % divisor;
  const step = rest === 0n ? 0n : value > 0n ? 1n : -1n;
  return { value: quotient + step, scale: smallest };
}

function removeFactors(value: bigint, factor: bigint): [rest: bigint, times: number] {
  let times = 0;
  while (value !== 0n && value % factor === 0n) {
    value /= factor;
    times++;
  }
  return [value, times];
}

const powers: bigint[] = [];
function power10(n: number): bigint {
  return (powers[n] ??= 10n ** BigInt(n));
}
