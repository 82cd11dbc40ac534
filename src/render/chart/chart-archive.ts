import { gunzipSync } from 'node:zlib';
import { cleanPath } from '../sprig/paths.ts';
import type { ChartFile } from './chart.ts';

/** The same bounds as Helm's: an archive may not unpack to more, nor hold a larger file. */
const maxUnpackedBytes = 100 * 1024 * 1024;
export const maxFileBytes = 5 * 1024 * 1024;
const blockBytes = 512;

/** The files of a packed chart, named relative to its folder. Nothing touches the disk; links, devices and paths that lead out are refused. */
export function readChartArchive(archive: Uint8Array): ChartFile[] {
  const files = readTar(unzip(archive)).flatMap(({ name, data }) => {
    const path = insidePath(name);
    return path === undefined ? [] : [{ name: path, data }];
  });
  if (files.length === 0) throw new Error('no files in chart archive');
  return files;
}

function unzip(archive: Uint8Array): Buffer {
  if (archive[0] !== 0x1f || archive[1] !== 0x8b) throw new Error('file does not appear to be a gzipped archive');
  try {
    return gunzipSync(archive, { maxOutputLength: maxUnpackedBytes });
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Error(isTooLarge ? `decompressed chart is larger than the maximum size ${maxUnpackedBytes}` : 'cannot unpack the archive', {
      cause,
    });
  }
}

/** The part of a path below the chart's own folder. */
function insidePath(name: string): string | undefined {
  const parts = name.replaceAll('\\', '/').split('/');
  if (parts.length < 2 && parts[0] !== 'Chart.yaml') return undefined;
  if (parts[0] === 'Chart.yaml') throw new Error('chart yaml not in base directory');
  const inside = parts.slice(1).join('/');
  if (inside === '') return undefined;
  const clean = cleanPath(inside);
  if (inside.startsWith('/')) throw new Error('chart illegally contains absolute paths');
  if (clean === '..' || clean.startsWith('../')) throw new Error('chart illegally references parent directory');
  if (clean === '.') throw new Error(`chart illegally contains content outside the base directory: ${JSON.stringify(name)}`);
  return clean;
}

interface Entry {
  readonly name: string;
  readonly data: Buffer;
}

function readTar(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + blockBytes <= bytes.length;) {
    const header = bytes.subarray(at, at + blockBytes);
    if (header.every(byte => byte === 0)) break;
    const size = sizeOf(header);
    const type = String.fromCharCode(header[156]!);
    const data = bytes.subarray(at + blockBytes, at + blockBytes + size);
    if (data.length < size) throw new Error('unexpected EOF');
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    if (type === 'g') continue;
    if (type === 'L' || type === 'x') {
      longName = type === 'L' ? textOf(data) : (paxPath(data) ?? longName);
      continue;
    }
    const name = longName ?? nameOf(header);
    longName = undefined;
    if (type === '5') continue;
    if (type !== '0' && type !== '\0') throw new Error(`chart contains ${JSON.stringify(name)}, which is not a plain file`);
    if (size > maxFileBytes) throw new Error(`chart file ${JSON.stringify(name)} is larger than the maximum file size ${maxFileBytes}`);
    entries.push({ name, data: Buffer.from(withoutMark(data)) });
  }
  return entries;
}

function sizeOf(header: Buffer): number {
  const field = header.subarray(124, 136);
  const size = field[0]! & 0x80 ? Number(field.readBigUInt64BE(4)) : Number.parseInt(textOf(field).trim() || '0', 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('invalid tar header');
  return size;
}

function nameOf(header: Buffer): string {
  const name = textOf(header.subarray(0, 100));
  const isUstar = header.toString('latin1', 257, 262) === 'ustar';
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

function paxPath(data: Buffer): string | undefined {
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(32, at);
    const length = Number(data.toString('latin1', at, space));
    if (space < 0 || !(length > 0)) return undefined;
    const record = data.toString('utf8', space + 1, at + length - 1);
    if (record.startsWith('path=')) return record.slice('path='.length);
    at += length;
  }
  return undefined;
}

/** Files may begin with a byte order mark, which is not part of them. */
export const withoutMark = (data: Buffer): Buffer => (data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf ? data.subarray(3) : data);
