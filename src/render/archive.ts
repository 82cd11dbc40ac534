import { gunzipSync } from 'node:zlib';
import { readTar, type TarFile } from './read-tar.ts';
import { cleanPath } from './sprig/paths.ts';

/** Of all files together, as in Helm. */
export const maxUnpackedBytes = 100 * 1024 * 1024;
export const maxFiles = 100_000;
/** What headers and padding may add. */
const maxTarBytes = maxUnpackedBytes + 64 * 1024 * 1024;

/**
 * The files of a gzipped tar, with the names they have in it. Nothing touches the disk. Links, devices and whatever else is no plain file are refused,
 * and so is what unpacks to more than is allowed. `what` is said in errors: "chart".
 */
export function unpackArchive(archive: Uint8Array, what: string): TarFile[] {
  return readTar(unzip(archive, what), { what, maxUnpackedBytes, maxFiles });
}

/** The files of a packed folder by their path. Paths that lead out of it, and two files with one name, are refused. */
export function readFolderArchive(archive: Uint8Array): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const { name, data } of unpackArchive(archive, 'folder')) {
    const path = pathInside(name);
    const present = files.get(path);
    if (present && !present.equals(data)) throw new Error(`folder contains two different files ${JSON.stringify(path)}`);
    files.set(path, data);
  }
  return files;
}

function pathInside(name: string): string {
  const path = cleanPath(name.replaceAll('\\', '/'));
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw new Error(`folder contains the absolute path ${JSON.stringify(name)}`);
  if (path === '.' || path === '..' || path.startsWith('../') || path.includes('\0'))
    throw new Error(`folder contains the path ${JSON.stringify(name)}, which leads out of it`);
  return path;
}

function unzip(archive: Uint8Array, what: string): Buffer {
  if (archive[0] !== 0x1f || archive[1] !== 0x8b) throw new Error('file does not appear to be a gzipped archive');
  try {
    return gunzipSync(archive, { maxOutputLength: maxTarBytes });
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Error(isTooLarge ? `decompressed ${what} is larger than the maximum size ${maxUnpackedBytes}` : 'cannot unpack the archive', {
      cause,
    });
  }
}
