/** An exact amount, in billionths, and the way its author wrote it. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

const decimalPowers: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binaryPowers: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;
const one = 1_000_000_000n;

export const zeroQuantity: Quantity = { nano: 0n, format: 'DecimalSI' };

/** Reads `1`, `500m`, `1.5Gi`, `1e3`. What cannot be read counts as zero: validation has refused it elsewhere. */
export function parseQuantity(text: unknown): Quantity {
  const match = typeof text === 'string' || typeof text === 'number' ? syntax.exec(String(text)) : null;
  if (!match) return zeroQuantity;
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = match;
  const digits = BigInt(`${whole}${fraction}` || '0');
  const binary = binaryPowers[suffix];
  const power = exponent === undefined ? (decimalPowers[suffix] ?? 0) : Number(exponent.slice(1));
  const nano =
    binary === undefined ? scale(digits, power + 9 - fraction.length) : scale(digits * one * 2n ** BigInt(binary), -fraction.length);
  const format = exponent !== undefined ? 'DecimalExponent' : binary === undefined ? 'DecimalSI' : 'BinarySI';
  return { nano: sign === '-' ? -nano : nano, format };
}

// Rounds up, away from zero, as the smallest unit is a billionth.
function scale(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (value + divisor - 1n) / divisor;
}

/** A zero takes on the format of what is added to it. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano - b.nano, format: a.nano === 0n ? b.format : a.format };
}

export function compareQuantities(a: string | number | Quantity, b: string | number | Quantity): number {
  const [left, right] = [quantityOf(a).nano, quantityOf(b).nano];
  return left < right ? -1 : left > right ? 1 : 0;
}

const quantityOf = (value: string | number | Quantity): Quantity => (typeof value === 'object' ? value : parseQuantity(value));

/** The shortest exact form, as the API writes quantities. */
export function printQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const sign = nano < 0n ? '-' : '';
  const size = nano < 0n ? -nano : nano;
  if (format === 'BinarySI' && size >= 1024n * one && size % one === 0n) return sign + printBinary(size / one);
  let power = -9;
  let mantissa = size;
  while (power < 18 && mantissa % 1000n === 0n) {
    mantissa /= 1000n;
    power += 3;
  }
  if (format === 'DecimalExponent') return `${sign}${mantissa}${power === 0 ? '' : `e${power}`}`;
  return `${sign}${mantissa}${Object.keys(decimalPowers).find(suffix => decimalPowers[suffix] === power)}`;
}

function printBinary(value: bigint): string {
  let power = 0;
  let mantissa = value;
  while (power < 60 && mantissa % 1024n === 0n) {
    mantissa /= 1024n;
    power += 10;
  }
  return `${mantissa}${Object.keys(binaryPowers).find(suffix => binaryPowers[suffix] === power) ?? ''}`;
}
