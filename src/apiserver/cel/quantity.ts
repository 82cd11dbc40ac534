/** A Kubernetes quantity as an exact decimal: `digits` × 10^-`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const decimalSuffixes: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binarySuffixes: Readonly<Record<string, bigint>> = {
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  Pi: 1n << 50n,
  Ei: 1n << 60n,
};
const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE]?)|[eE]([+-]?\d+))$/;

/** Undefined when the text is not a quantity. */
export function parseDecimalQuantity(text: string): Decimal | undefined {
  const found = syntax.exec(text);
  if (!found) return undefined;
  const [, sign, integer = '', fraction = '', binary, suffix, exponent] = found;
  if (integer === '' && fraction === '') return undefined;
  const shift = exponent === undefined ? (decimalSuffixes[suffix ?? ''] ?? 0) : Number(exponent);
  if (Math.abs(shift) > 1000) return undefined;
  let digits = BigInt(integer + fraction) * (binary === undefined ? 1n : binarySuffixes[binary]!);
  if (sign === '-') digits = -digits;
  return shiftDecimal({ digits, scale: fraction.length }, shift);
}

function shiftDecimal({ digits, scale }: Decimal, by: number): Decimal {
  const shifted = scale - by;
  return shifted >= 0 ? { digits, scale: shifted } : { digits: digits * 10n ** BigInt(-shifted), scale: 0 };
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.digits * 10n ** BigInt(scale - a.scale), b.digits * 10n ** BigInt(scale - b.scale), scale];
}

export function compareDecimal(a: Decimal, b: Decimal): number {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function addDecimal(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = aligned(a, b);
  return { digits: left + right, scale };
}

export const negateDecimal = ({ digits, scale }: Decimal): Decimal => ({ digits: -digits, scale });

/** The value, if it is a whole number. */
export function wholeDecimal({ digits, scale }: Decimal): bigint | undefined {
  const unit = 10n ** BigInt(scale);
  return digits % unit === 0n ? digits / unit : undefined;
}

export const approximateDecimal = ({ digits, scale }: Decimal): number => Number(digits) / 10 ** scale;
