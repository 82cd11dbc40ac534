/** A positive number as decimal digits: 0.d1d2d3… times ten to the power of `point`. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** Formats as Go's strconv.FormatFloat of 64 bits: `e`, `E`, `f`, `g`, `G`; a precision of -1 gives the fewest digits that read back the same. */
export function formatFloat(value: number, format: 'e' | 'E' | 'f' | 'g' | 'G', precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  if (precision < 0) return sign + layOut(shortest(size), format, -1);
  return sign + layOut(exact(size), format, precision);
}

function layOut(decimal: Decimal, format: 'e' | 'E' | 'f' | 'g' | 'G', precision: number): string {
  const isShortest = precision < 0;
  if (format === 'e' || format === 'E') {
    const digits = isShortest ? decimal : round(decimal, precision + 1);
    return exponential(digits, isShortest ? Math.max(digits.digits.length - 1, 0) : precision, format);
  }
  if (format === 'f') {
    const digits = isShortest ? decimal : round(decimal, decimal.point + precision);
    return fixed(digits, isShortest ? Math.max(digits.digits.length - digits.point, 0) : precision);
  }
  const wanted = precision === 0 ? 1 : precision;
  const digits = isShortest ? decimal : round(decimal, wanted);
  let limit = isShortest ? 6 : wanted;
  if (!isShortest && limit > digits.digits.length && digits.digits.length >= digits.point) limit = digits.digits.length;
  const exponent = digits.point - 1;
  if (exponent < -4 || exponent >= limit) {
    return exponential(digits, Math.max(digits.digits.length - 1, 0), format === 'g' ? 'e' : 'E');
  }
  return fixed(digits, Math.max(digits.digits.length - digits.point, 0));
}

function exponential({ digits, point }: Decimal, fraction: number, letter: string): string {
  const exponent = digits === '' ? 0 : point - 1;
  const all = digits.padEnd(fraction + 1, '0');
  const tail = fraction > 0 ? `.${all.slice(1, fraction + 1)}` : '';
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${all[0]}${tail}${letter}${exponent < 0 ? '-' : '+'}${size}`;
}

function fixed({ digits, point }: Decimal, fraction: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (fraction <= 0) return whole;
  const leading = point < 0 ? '0'.repeat(Math.min(-point, fraction)) : '';
  const rest = (leading + (point > 0 ? digits.slice(point) : digits)).slice(0, fraction);
  return `${whole}.${rest.padEnd(fraction, '0')}`;
}

function shortest(size: number): Decimal {
  if (size === 0) return { digits: '', point: 0 };
  const [mantissa, exponent] = size.toExponential().split('e') as [string, string];
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

const view = new DataView(new ArrayBuffer(8));

function exact(size: number): Decimal {
  if (size === 0) return { digits: '', point: 0 };
  view.setFloat64(0, size);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const mantissa = biased === 0 ? bits : (bits & 0xfffffffffffffn) | 0x10000000000000n;
  const power = (biased === 0 ? 1 : biased) - 1075;
  const digits = power >= 0 ? (mantissa << BigInt(power)).toString() : (mantissa * 5n ** BigInt(-power)).toString();
  const point = power >= 0 ? digits.length : digits.length + power;
  return { digits: digits.replace(/0+$/, ''), point };
}

/** Rounds to so many digits, ties to even. */
function round({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits, point };
  if (count < 0) return { digits: '', point: 0 };
  const next = digits.charCodeAt(count) - 48;
  const isTie = next === 5 && digits.length === count + 1;
  const isOdd = count > 0 && (digits.charCodeAt(count - 1) - 48) % 2 === 1;
  const kept = digits.slice(0, count);
  if (next < 5 || (isTie && !isOdd)) {
    const trimmed = kept.replace(/0+$/, '');
    return trimmed === '' ? { digits: '', point: 0 } : { digits: trimmed, point };
  }
  const raised = (BigInt(`0${kept}`) + 1n).toString();
  const longer = raised.length > Math.max(kept.length, 0) ? 1 : 0;
  return { digits: raised.padStart(kept.length, '0').replace(/0+$/, ''), point: point + longer };
}
