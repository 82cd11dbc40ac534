import { isIPv4, isIPv6 } from 'node:net';

/** The 4 or 16 bytes of an address. */
export function ipBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  if (!isIPv6(address)) throw new Error(`"${address}" is not an IP address`);
  const [head = '', tail] = hexOnly(address).split('::');
  const left = words(head);
  const right = tail === undefined ? [] : words(tail);
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  const bytes = Buffer.alloc(16);
  [...left, ...Array<number>(missing).fill(0), ...right].forEach((word, i) => bytes.writeUInt16BE(word, i * 2));
  return bytes;
}

/** The usual text of 4 or 16 bytes; undefined for any other number of bytes. */
export function printIp(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return [...bytes].join('.');
  if (bytes.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function hexOnly(address: string): string {
  const dotted = /^(.*:)([0-9.]+)$/.exec(address.replace(/%.*$/, ''));
  if (!dotted?.[2]?.includes('.')) return address.replace(/%.*$/, '');
  const [a = 0, b = 0, c = 0, d = 0] = dotted[2].split('.').map(Number);
  return `${dotted[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function words(text: string): number[] {
  return text === '' ? [] : text.split(':').map(word => Number.parseInt(word, 16));
}
