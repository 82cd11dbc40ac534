/** Comparison of quantities as they are written (`1500m`, `2Gi`, `1e3`), exact down to nano units. */

const scaleOf: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 1_000n,
  m: 1_000_000n,
  '': 10n ** 9n,
  k: 10n ** 12n,
  M: 10n ** 15n,
  G: 10n ** 18n,
  T: 10n ** 21n,
  P: 10n ** 24n,
  E: 10n ** 27n,
  Ki: 10n ** 9n * 2n ** 10n,
  Mi: 10n ** 9n * 2n ** 20n,
  Gi: 10n ** 9n * 2n ** 30n,
  Ti: 10n ** 9n * 2n ** 40n,
  Pi: 10n ** 9n * 2n ** 50n,
  Ei: 10n ** 9n * 2n ** 60n,
};
const form = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+)|([numkMGTPE]|[KMGTPE]i))?$/;

/** The quantity in nano units, rounded away from zero. Zero when it is no quantity; types were checked before. */
export function nanoUnits(quantity: string | number | undefined): bigint {
  const match = form.exec(String(quantity ?? '0'));
  if (!match) return 0n;
  const [, sign = '', whole = '', fraction = '', exponent = '', suffix = ''] = match;
  let value = BigInt(`${whole}${fraction}` || '0') * (scaleOf[suffix] ?? 1n);
  const shift = Number(exponent || '0') - fraction.length;
  if (shift >= 0) value *= 10n ** BigInt(shift);
  else {
    const divisor = 10n ** BigInt(-shift);
    value = (value + divisor - 1n) / divisor;
  }
  return sign === '-' ? -value : value;
}

export function compareQuantities(a: string | number | undefined, b: string | number | undefined): number {
  const left = nanoUnits(a);
  const right = nanoUnits(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export const isWholeQuantity = (quantity: string | number) => nanoUnits(quantity) % 1_000_000_000n === 0n;
