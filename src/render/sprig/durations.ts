const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** time.ParseDuration in nanoseconds; undefined when it is none. */
export function parseDuration(text: string): bigint | undefined {
  const signed = /^([+-]?)(.+)$/s.exec(text);
  if (!signed) return undefined;
  const [, sign, rest] = signed as unknown as [string, string, string];
  if (rest === '0') return 0n;
  let total = 0n;
  let at = 0;
  while (at < rest.length) {
    const part = /^([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest.slice(at));
    if (!part || (part[1] === '' && (part[2] ?? '') === '')) return undefined;
    const unit = units[part[3]!]!;
    total += BigInt(part[1] === '' ? '0' : part[1]!) * unit;
    const fraction = part[2] ?? '';
    if (fraction !== '') total += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
    at += part[0].length;
  }
  const value = sign === '-' ? -total : total;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Duration.String: `1h2m3.5s`, `1.5ms`, `0s`. */
export function printDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size === 0n) return '0s';
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 1000n)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 1_000_000n)}ms`;
  const hours = size / units['h']!;
  const minutes = (size / units['m']!) % 60n;
  const seconds = decimal(size % units['m']!, units['s']!);
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}s`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`;
}

function decimal(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}
