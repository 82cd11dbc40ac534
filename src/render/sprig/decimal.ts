import { GoError } from '../go/go-value.ts';

/** A decimal number: digits times ten to the power of an exponent. Sprig adds floats as people write them, so that 0.1 + 0.2 is 0.3. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Digits after the point that a division keeps. */
const divisionPlaces = 16;

function parse(value: number): Decimal {
  if (value === 0 || !Number.isFinite(value)) return { digits: 0n, exponent: 0 };
  const [mantissa, power] = value.toExponential().split('e') as [string, string];
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?];
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

const toNumber = ({ digits, exponent }: Decimal): number => Number(`${digits}e${exponent}`);
const scaled = ({ digits, exponent }: Decimal, to: number): bigint => digits * 10n ** BigInt(exponent - to);

function combine(values: readonly number[], by: (a: Decimal, b: Decimal) => Decimal): number {
  return toNumber(values.slice(1).reduce((total, value) => by(total, parse(value)), parse(values[0]!)));
}

export const decimalSum = (values: readonly number[]): number =>
  combine(values, (a, b) => {
    const exponent = Math.min(a.exponent, b.exponent);
    return { digits: scaled(a, exponent) + scaled(b, exponent), exponent };
  });

export const decimalDifference = (values: readonly number[]): number =>
  combine(values, (a, b) => {
    const exponent = Math.min(a.exponent, b.exponent);
    return { digits: scaled(a, exponent) - scaled(b, exponent), exponent };
  });

export const decimalProduct = (values: readonly number[]): number =>
  combine(values, (a, b) => ({ digits: a.digits * b.digits, exponent: a.exponent + b.exponent }));

export const decimalQuotient = (values: readonly number[]): number => combine(values, divide);

function divide(a: Decimal, b: Decimal): Decimal {
  if (b.digits === 0n) throw new GoError('decimal division by 0');
  const shift = a.exponent - b.exponent + divisionPlaces;
  const dividend = shift >= 0 ? a.digits * 10n ** BigInt(shift) : a.digits;
  const by = shift >= 0 ? b.digits : b.digits * 10n ** BigInt(-shift);
  const quotient = dividend / by;
  const rest = dividend % by;
  const isUp = abs(rest) * 2n >= abs(by);
  const sign = dividend < 0n === by < 0n ? 1n : -1n;
  return { digits: quotient + (isUp ? sign : 0n), exponent: -divisionPlaces };
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);
