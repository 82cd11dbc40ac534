/** One value of ASN.1 in DER. `raw` is the whole of it, `content` what follows tag and length. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  readonly raw: Buffer;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Reads one value and refuses anything after it. */
export function readDer(bytes: Buffer): DerValue {
  const value = readOne(bytes, 0);
  if (value.raw.length !== bytes.length) throw new Error('trailing data after a DER value');
  return value;
}

/** The values inside a constructed value. */
export function childrenOf(value: DerValue): DerValue[] {
  const children: DerValue[] = [];
  for (let offset = 0; offset < value.content.length;) {
    const child = readOne(value.content, offset);
    children.push(child);
    offset += child.raw.length;
  }
  return children;
}

/** The values inside a SEQUENCE or SET; throws when the value is another thing. */
export function itemsOf(value: DerValue | undefined, tag: number = tags.sequence): DerValue[] {
  return childrenOf(expectTag(value, tag));
}

export function expectTag(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag !== tag) throw new Error(`expected DER tag ${tag}, found ${value?.tag ?? 'nothing'}`);
  return value;
}

function readOne(bytes: Buffer, offset: number): DerValue {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new Error('truncated DER value');
  if ((tag & 0x1f) === 0x1f) throw new Error('DER tags above 30 are not supported');
  let start = offset + 2;
  let length = first;
  if (first >= 0x80) {
    const size = first & 0x7f;
    if (size === 0 || size > 4) throw new Error('unsupported DER length');
    if (start + size > bytes.length) throw new Error('truncated DER value');
    length = bytes.readUIntBE(start, size);
    if (length < 0x80 || length < 2 ** (8 * (size - 1))) throw new Error('DER length is not minimal');
    start += size;
  }
  if (start + length > bytes.length) throw new Error('truncated DER value');
  return { tag, content: bytes.subarray(start, start + length), raw: bytes.subarray(offset, start + length) };
}

export function readOid(value: DerValue | undefined): string {
  const { content } = expectTag(value, tags.oid);
  const parts: bigint[] = [];
  let part = 0n;
  for (const byte of content) {
    part = (part << 7n) | BigInt(byte & 0x7f);
    if (byte >= 0x80) continue;
    parts.push(part);
    part = 0n;
  }
  const first = parts[0];
  if (first === undefined) throw new Error('empty object identifier');
  const top = first < 40n ? 0n : first < 80n ? 1n : 2n;
  return [top, first - top * 40n, ...parts.slice(1)].join('.');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of any of the string types that names use. */
export function readText(value: DerValue): string {
  if (value.tag === tags.bmpString) return Buffer.from(value.content).swap16().toString('utf16le');
  if (value.tag === tags.teletexString) return value.content.toString('latin1');
  const isText = value.tag === tags.utf8String || value.tag === tags.printableString || value.tag === tags.ia5String;
  if (!isText) throw new Error(`DER tag ${value.tag} is not a string`);
  return utf8.decode(value.content);
}

export function writeDer(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthBytes(content.length), content]);
}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...items: readonly Uint8Array[]) => writeDer(tags.sequence, ...items);
export const set = (...items: readonly Uint8Array[]) => writeDer(tags.set, ...items);
export const octetString = (bytes: Uint8Array) => writeDer(tags.octetString, bytes);
export const bitString = (bytes: Uint8Array, unusedBits = 0) => writeDer(tags.bitString, Buffer.from([unusedBits]), bytes);
export const boolean = (value: boolean) => writeDer(tags.boolean, Buffer.from([value ? 0xff : 0]));
export const utf8String = (text: string) => writeDer(tags.utf8String, Buffer.from(text));
/** `[n]` around a value. */
export const explicit = (n: number, ...items: readonly Uint8Array[]) => writeDer(0xa0 | n, ...items);
/** `[n]` in place of the tag of a primitive value. */
export const implicit = (n: number, bytes: Uint8Array) => writeDer(0x80 | n, bytes);

/** A whole number of zero or more, from its big-endian bytes. */
export function unsignedInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  return writeDer(tags.integer, ...((digits[0] ?? 0) >= 0x80 ? [Buffer.from([0]), digits] : [digits]));
}

export function oid(text: string): Buffer {
  const [top = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes: number[] = [];
  for (const part of [top * 40 + second, ...rest]) {
    const digits = [part % 128];
    for (let left = Math.floor(part / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(0x80 | (left % 128));
    bytes.push(...digits);
  }
  return writeDer(tags.oid, Buffer.from(bytes));
}

/** UTCTime up to 2049, GeneralizedTime afterwards, as RFC 5280 wants. */
export function time(date: Date): Buffer {
  const digits = date
    .toISOString()
    .replace(/\.[0-9]+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? writeDer(tags.utcTime, Buffer.from(digits.slice(2)))
    : writeDer(tags.generalizedTime, Buffer.from(digits));
}
