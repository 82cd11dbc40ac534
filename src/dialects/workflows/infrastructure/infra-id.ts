import { createHash } from 'node:crypto';

/** The same for the same names for ever: a UUID of version 3, made from the bytes alone and without a namespace of UUIDs. */
export function infraId(namespace: string, service: string, infrastructure: string): string {
  const bytes = createHash('md5').update(`${namespace}/${service}/${infrastructure}`, 'utf8').digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x30;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
