import { invalid, type FieldError } from '../../api/field-error.ts';

/** A parsed address: four bytes, or sixteen. An IPv4-mapped IPv6 address is kept in its four bytes and marked. */
export interface IpAddress {
  readonly bytes: readonly number[];
  readonly isMapped: boolean;
}

export interface Cidr {
  /** The address as written, host bits included. */
  readonly address: IpAddress;
  readonly prefixLength: number;
}

/** Parses as the API always did: leading zeros in IPv4 are ignored. Undefined when it is no address. */
export function parseIp(text: string): IpAddress | undefined {
  const mark = /[.:]/.exec(text)?.[0];
  if (mark === '.') {
    const bytes = parseIpv4(text);
    return bytes && { bytes, isMapped: false };
  }
  if (mark !== ':') return undefined;
  const bytes = parseIpv6(text);
  if (!bytes) return undefined;
  return isMappedIpv4(bytes) ? { bytes: bytes.slice(12), isMapped: true } : { bytes, isMapped: false };
}

function parseIpv4(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every(part => /^[0-9]+$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every(byte => byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = ipv6Groups(halves[0] ?? '');
  const tail = halves.length === 2 ? ipv6Groups(halves[1] ?? '') : [];
  if (!head || !tail) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const missing = 16 - head.length - tail.length;
  if (missing < 2) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

function ipv6Groups(text: string): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [i, group] of groups.entries()) {
    if (group.includes('.')) {
      const v4 = i === groups.length - 1 ? parseIpv4(group) : undefined;
      if (!v4) return undefined;
      bytes.push(...v4);
      continue;
    }
    if (!/^[0-9a-fA-F]+$/.test(group)) return undefined;
    const value = parseInt(group, 16);
    if (value > 0xffff) return undefined;
    bytes.push(value >> 8, value & 0xff);
  }
  return bytes;
}

const isMappedIpv4 = (bytes: readonly number[]) => bytes.slice(0, 10).every(b => b === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

export const isIpv4 = (ip: IpAddress) => ip.bytes.length === 4;
export const isIpv6 = (ip: IpAddress) => ip.bytes.length === 16;

/** Canonical text (RFC 5952 for IPv6). */
export function printIp({ bytes }: IpAddress): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  const { start, length } = longestZeroRun(groups);
  const hex = (part: number[]) => part.map(group => group.toString(16)).join(':');
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let i = 0; i < groups.length; i++) {
    let end = i;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - i > best.length) best = { start: i, length: end - i };
    if (end > i) i = end;
  }
  return best;
}

export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const written = text.slice(0, slash);
  const suffix = text.slice(slash + 1);
  const address = parseIp(written);
  if (!address || !/^[0-9]+$/.test(suffix)) return undefined;
  const prefixLength = Number(suffix);
  const width = address.isMapped ? 128 : address.bytes.length * 8;
  if (prefixLength > width) return undefined;
  return { address, prefixLength: address.isMapped ? Math.max(0, prefixLength - 96) : prefixLength };
}

/** The address with all bits beyond the prefix cleared. */
export function networkOf({ address, prefixLength }: Cidr): IpAddress {
  const bytes = address.bytes.map((byte, i) => byte & (0xff << Math.max(0, 8 - Math.max(0, prefixLength - 8 * i))) & 0xff);
  return { bytes, isMapped: address.isMapped };
}

export const printCidr = (cidr: Cidr) => `${printIp(networkOf(cidr))}/${cidr.prefixLength}`;

const sameIp = (a: IpAddress, b: IpAddress) => a.bytes.length === b.bytes.length && a.bytes.every((byte, i) => byte === b.bytes[i]);

export function cidrContains(cidr: Cidr, ip: IpAddress): boolean {
  if (ip.bytes.length !== cidr.address.bytes.length) return false;
  return sameIp(networkOf({ address: ip, prefixLength: cidr.prefixLength }), networkOf(cidr));
}

/** The address `offset` places after another one. */
export function addToIp(ip: IpAddress, offset: bigint): IpAddress {
  let value = ipToNumber(ip) + offset;
  const bytes = new Array<number>(ip.bytes.length).fill(0);
  for (let i = bytes.length - 1; i >= 0; i--) {
    bytes[i] = Number(value & 0xffn);
    value >>= 8n;
  }
  return { bytes, isMapped: false };
}

export const ipToNumber = (ip: IpAddress) => ip.bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

export const isLoopback = ({ bytes }: IpAddress) =>
  bytes.length === 4 ? bytes[0] === 127 : bytes.slice(0, 15).every(b => b === 0) && bytes[15] === 1;
export const isUnspecified = ({ bytes }: IpAddress) => bytes.every(b => b === 0);
export const isLinkLocalUnicast = ({ bytes }: IpAddress) =>
  bytes.length === 4 ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
export const isLinkLocalMulticast = ({ bytes }: IpAddress) =>
  bytes.length === 4 ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0 : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 0x02;

const hasLeadingZeros = (text: string) =>
  text.includes(':') ? text.split(':').some(group => (group.includes('.') ? hasZeroOctet(group) : group.length > 4)) : hasZeroOctet(text);
const hasZeroOctet = (text: string) => text.split('.').some(part => part.length > 1 && part.startsWith('0'));

/** For fields older than strict checking: any valid form, not only the canonical one. Values that the old object had stay valid. */
export function validateLegacyIp(path: string, value: string, validOld: readonly string[] = []): FieldError[] {
  if (validOld.includes(value)) return [];
  const ip = parseIp(value);
  if (!ip) return [invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  if (hasLeadingZeros(value)) return [invalid(path, value, 'must not have leading 0s')];
  return ip.isMapped ? [invalid(path, value, 'must not be an IPv4-mapped IPv6 address')] : [];
}

export function validateIp(path: string, value: string): FieldError[] {
  const errors = validateLegacyIp(path, value);
  const ip = parseIp(value);
  if (errors.length > 0 || !ip || printIp(ip) === value) return errors;
  return [invalid(path, value, `must be in canonical form (${JSON.stringify(printIp(ip))})`)];
}

export function validateLegacyCidr(path: string, value: string, validOld: readonly string[] = []): FieldError[] {
  if (validOld.includes(value)) return [];
  const cidr = parseCidr(value);
  if (!cidr) return [invalid(path, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
  const [address = '', prefix = ''] = value.split('/');
  if (hasLeadingZeros(address) || (prefix.length > 1 && prefix.startsWith('0')))
    return [invalid(path, value, 'must not have leading 0s in IP or prefix length')];
  if (cidr.address.isMapped) return [invalid(path, value, 'must not have an IPv4-mapped IPv6 address')];
  return sameIp(networkOf(cidr), cidr.address) ? [] : [invalid(path, value, 'must not have bits set beyond the prefix length')];
}

export function validateCidr(path: string, value: string): FieldError[] {
  const errors = validateLegacyCidr(path, value);
  const cidr = parseCidr(value);
  if (errors.length > 0 || !cidr || printCidr(cidr) === value) return errors;
  return [invalid(path, value, `must be in canonical form (${JSON.stringify(printCidr(cidr))})`)];
}

export function validateInterfaceAddress(path: string, value: string): FieldError[] {
  const cidr = parseCidr(value);
  if (!cidr) return [invalid(path, value, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  const canonical = `${printIp(cidr.address)}/${cidr.prefixLength}`;
  return value === canonical ? [] : [invalid(path, value, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

export function warningsForIp(path: string, value: string): string[] {
  const ip = parseIp(value);
  if (!ip) return [];
  if (ip.isMapped || hasLeadingZeros(value))
    return [`${path}: non-standard IP address ${JSON.stringify(value)} is invalid: use ${JSON.stringify(printIp(ip))}`];
  if (isIpv6(ip) && printIp(ip) !== value)
    return [`${path}: IPv6 address ${JSON.stringify(value)} should be in RFC 5952 canonical format (${JSON.stringify(printIp(ip))})`];
  return [];
}

export function warningsForCidr(path: string, value: string): string[] {
  const cidr = parseCidr(value);
  if (!cidr) return [];
  const warnings: string[] = [];
  const quoted = JSON.stringify(value);
  const canonical = JSON.stringify(printCidr(cidr));
  if (!sameIp(networkOf(cidr), cidr.address)) {
    const single = JSON.stringify(`${printIp(cidr.address)}/${cidr.address.bytes.length * 8}`);
    warnings.push(`${path}: CIDR value ${quoted} is ambiguous in this context (should be ${canonical} or ${single}?)`);
  }
  const [address = '', prefix = ''] = value.split('/');
  if (cidr.address.isMapped || hasLeadingZeros(address) || (prefix.length > 1 && prefix.startsWith('0')))
    warnings.push(`${path}: non-standard CIDR value ${quoted} is invalid: use ${canonical}`);
  if (warnings.length === 0 && isIpv6(cidr.address) && printCidr(cidr) !== value)
    warnings.push(`${path}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format (${canonical})`);
  return warnings;
}

/** Reasons why a value is no address at all, as the name checks give them. */
export const isIp = (value: string): string[] => validateIp('', value).map(detailOf);
const detailOf = (e: FieldError) => e.message.replace(/^Invalid value: "(?:[^"\\]|\\.)*": /, '');
