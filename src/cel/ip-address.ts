/** An address as a number, with its width in bits. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** Parses as Go's netip does: no leading zeros in IPv4 octets, no zone. Undefined when it is not an address. */
export function parseAddress(text: string): Address | undefined {
  if (text.includes(':')) {
    const value = parseV6(text);
    return value === undefined ? undefined : { bits: 128, value };
  }
  const value = parseV4(text);
  return value === undefined ? undefined : { bits: 32, value };
}

function parseV4(text: string): bigint | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every(octet => /^(?:0|[1-9]\d{0,2})$/.test(octet) && Number(octet) <= 255)) return undefined;
  return octets.reduce((value, octet) => value * 256n + BigInt(octet), 0n);
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const groups = halves.map(half => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1)!;
  const tail = last.at(-1);
  if (tail?.includes('.')) {
    const v4 = parseV4(tail);
    if (v4 === undefined) return undefined;
    last.splice(-1, 1, (v4 >> 16n).toString(16), (v4 & 0xffffn).toString(16));
  }
  const count = groups.reduce((total, half) => total + half.length, 0);
  if (halves.length === 1 ? count !== 8 : count > 7) return undefined;
  const all = halves.length === 1 ? groups[0]! : [...groups[0]!, ...Array<string>(8 - count).fill('0'), ...groups[1]!];
  if (!all.every(group => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return all.reduce((value, group) => value * 65536n + BigInt(Number.parseInt(group, 16)), 0n);
}

export const isV4InV6 = ({ bits, value }: Address): boolean => bits === 128 && value >> 32n === 0xffffn;

/** The canonical form. */
export function printAddress({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map(shift => (value >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - 16 * i)) & 0xffffn));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = (part: number[]): string => part.map(group => group.toString(16)).join(':');
  if (best.start < 0) return hex(groups);
  return `${hex(groups.slice(0, best.start))}::${hex(groups.slice(best.start + best.length))}`;
}

export interface Prefix {
  readonly address: Address;
  readonly length: number;
}

export function parsePrefix(text: string): Prefix | undefined {
  const slash = text.lastIndexOf('/');
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!address || !/^(?:0|[1-9]\d{0,2})$/.test(length) || Number(length) > address.bits) return undefined;
  return { address, length: Number(length) };
}

export function maskAddress(address: Address, length: number): Address {
  const host = BigInt(address.bits - length);
  return { bits: address.bits, value: (address.value >> host) << host };
}

export function prefixContains({ address, length }: Prefix, other: Address): boolean {
  if (address.bits !== other.bits) return false;
  const host = BigInt(address.bits - length);
  return address.value >> host === other.value >> host;
}
