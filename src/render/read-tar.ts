export interface TarFile {
  readonly name: string;
  readonly data: Buffer;
}

export interface TarBounds {
  /** What the archive is, for errors. */
  readonly what: string;
  /** Of all files together. */
  readonly maxUnpackedBytes: number;
  readonly maxFiles: number;
}

/** What a header of its own says about the file that follows. */
interface Extended {
  name?: string;
  sizeBytes?: number;
}

const blockBytes = 512;
/** Longer headers of this kind are nobody's names. */
const maxExtendedBytes = 1024 * 1024;

/** The plain files of a tar: ustar, GNU and PAX. Folders are passed over; links, devices and sparse files are refused. */
export function readTar(bytes: Buffer, { what, maxUnpackedBytes, maxFiles }: TarBounds): TarFile[] {
  const files: TarFile[] = [];
  let extended: Extended = {};
  let unpacked = 0;
  for (let at = 0; at + blockBytes <= bytes.length;) {
    const header = bytes.subarray(at, at + blockBytes);
    if (header.every(byte => byte === 0)) break;
    checkSum(header);
    const type = String.fromCharCode(header[156]!);
    const isMeta = type === 'g' || type === 'L' || type === 'x';
    const size = (isMeta ? undefined : extended.sizeBytes) ?? sizeOf(header);
    const data = bytes.subarray(at + blockBytes, at + blockBytes + size);
    if (data.length < size) throw new Error('unexpected EOF');
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    if (isMeta) {
      if (size > maxExtendedBytes) throw new Error('invalid tar header');
      if (type !== 'g') extended = { ...extended, ...(type === 'L' ? { name: textOf(data) } : paxRecords(data)) };
      continue;
    }
    const name = extended.name ?? nameOf(header);
    extended = {};
    if (type === '5' || (isPlain(type) && name.endsWith('/'))) continue;
    if (!isPlain(type)) throw new Error(`${what} contains ${JSON.stringify(name)}, which is not a plain file`);
    unpacked += size;
    if (unpacked > maxUnpackedBytes) throw new Error(`decompressed ${what} is larger than the maximum size ${maxUnpackedBytes}`);
    if (files.length >= maxFiles) throw new Error(`${what} has more than ${maxFiles} files`);
    // Copied: what is kept of one file must not hold the whole archive.
    files.push({ name, data: Buffer.from(withoutMark(data)) });
  }
  return files;
}

const isPlain = (type: string): boolean => type === '0' || type === '\0';

/** Archives of old wrote the sum of signed bytes. */
function checkSum(header: Buffer): void {
  let unsigned = 0;
  let signed = 0;
  for (let i = 0; i < blockBytes; i++) {
    const byte = i >= 148 && i < 156 ? 32 : header[i]!;
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  const said = octal(header.subarray(148, 156));
  if (said !== unsigned && said !== signed) throw new Error('invalid tar header');
}

function sizeOf(header: Buffer): number {
  const field = header.subarray(124, 136);
  if ((field[0]! & 0x80) === 0) return octal(field);
  // In base 256; the first four bytes are zero but for the mark in any size that could be meant.
  if (field[0] !== 0x80 || field.readUIntBE(1, 3) !== 0) throw new Error('invalid tar header');
  const size = field.readBigUInt64BE(4);
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('invalid tar header');
  return Number(size);
}

function octal(field: Buffer): number {
  const text = textOf(field).trim();
  if (text === '') return 0;
  if (!/^[0-7]+$/.test(text)) throw new Error('invalid tar header');
  return Number.parseInt(text, 8);
}

function nameOf(header: Buffer): string {
  const name = textOf(header.subarray(0, 100));
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

/** Records of the form `<length> <key>=<value>\n`. */
function paxRecords(data: Buffer): Extended {
  const extended: Extended = {};
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(32, at);
    const digits = space < 0 ? '' : data.toString('latin1', at, space);
    const end = at + Number(digits);
    if (!/^[0-9]{1,9}$/.test(digits) || end <= space || end > data.length || data[end - 1] !== 10) throw new Error('invalid tar header');
    const record = data.toString('utf8', space + 1, end - 1);
    const [key, value] = [record.slice(0, record.indexOf('=')), record.slice(record.indexOf('=') + 1)];
    if (key.startsWith('GNU.sparse')) throw new Error('invalid tar header');
    if (key === 'path') extended.name = value;
    if (key === 'size') extended.sizeBytes = wholeNumber(value);
    at = end;
  }
  return extended;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || !Number.isSafeInteger(value)) throw new Error('invalid tar header');
  return value;
}

/** Files may begin with a byte order mark, which is not part of them. */
export const withoutMark = (data: Buffer): Buffer => (data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf ? data.subarray(3) : data);
