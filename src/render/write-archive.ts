import { gzipSync } from 'node:zlib';

export interface PackedFile {
  /** At most 100 bytes, or what PAX can say: any. */
  readonly name: string;
  readonly data: Uint8Array;
}

const blockBytes = 512;

/** A gzipped tar whose bytes follow from the files alone: no times, no owners. The order is that of the files. */
export function writeArchive(files: readonly PackedFile[]): Buffer {
  // Level 9 as Helm writes; the machine that packed is not named.
  return gzipSync(writeTar(files), { level: 9 });
}

export function writeTar(files: readonly PackedFile[]): Buffer {
  const blocks = files.flatMap(({ name, data }) => {
    const isLong = Buffer.byteLength(name) > 100;
    return [...(isLong ? paxEntry(name) : []), tarHeader({ name, sizeBytes: data.length }), ...padded(data)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

/** One header block. `type` is the letter of the kind of entry; "0" a plain file. */
export function tarHeader({
  name,
  sizeBytes,
  type = '0',
  link = '',
}: {
  name: string;
  sizeBytes: number;
  type?: string;
  link?: string;
}): Buffer {
  const header = Buffer.alloc(blockBytes);
  Buffer.from(name).copy(header, 0, 0, 100);
  header.write('0000644\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  header.write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write('00000000000\0', 136, 'latin1');
  header.write('        ', 148, 'latin1');
  header.write(type, 156, 'latin1');
  header.write(link, 157, 100, 'utf8');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function paxEntry(name: string): Uint8Array[] {
  const rest = ` path=${name}\n`;
  const restBytes = Buffer.byteLength(rest);
  // The length counts its own digits.
  let length = restBytes + 1;
  while (String(length).length + restBytes !== length) length++;
  const record = Buffer.from(`${length}${rest}`);
  return [tarHeader({ name: 'pax', sizeBytes: record.length, type: 'x' }), ...padded(record)];
}

function padded(data: Uint8Array): Uint8Array[] {
  const over = data.length % blockBytes;
  return over === 0 ? [data] : [data, Buffer.alloc(blockBytes - over)];
}
