import { posix } from 'node:path';
import { maxFiles, maxUnpackedBytes } from '../render/archive.ts';
import { SourceError } from './source-error.ts';

/** The files of one commit. */
export interface GitTree {
  readonly commit: string;
  /** Files below a folder ("" is all), by their path in it, in the order of their names. Links within the repository stand for what they name. */
  read(folder: string, options: { badLinks: 'refuse' | 'skip' }): Promise<Map<string, Buffer>>;
  /** One plain file. */
  file(path: string): Promise<Buffer | undefined>;
}

export interface GitStore {
  readonly commit: string;
  git(args: readonly string[], more?: { input?: string; maxBytes?: number }): Promise<Buffer>;
}

interface Entry {
  readonly mode: string;
  readonly oid: string;
  readonly sizeBytes: number;
}

const maxListBytes = 64 * 1024 * 1024;
const maxLinkBytes = 4096;
const maxFileBytes = 1024 * 1024;
const maxLinkDepth = 8;
/** Links that lead to links that lead to links could be followed for ever. */
const maxLooks = 5_000_000;
const line = /^([0-7]{6}) (blob|commit|tree) ([0-9a-f]{40}) +([0-9]+|-)\t([^]+)$/;

export async function readGitTree({ commit, git }: GitStore): Promise<GitTree> {
  const listed = await git(['ls-tree', '-r', '-l', '-z', '--full-tree', commit], { maxBytes: maxListBytes });
  const entries = new Map<string, Entry>();
  for (const text of listed.toString().split('\0')) {
    const [, mode = '', , oid = '', size = '', path = ''] = line.exec(text) ?? [];
    if (path !== '' && isInside(path)) entries.set(path, { mode, oid, sizeBytes: Number(size) || 0 });
  }
  const links = await readLinks();
  return { commit, read, file };

  async function file(path: string): Promise<Buffer | undefined> {
    const entry = entries.get(path);
    if (!entry?.mode.startsWith('100')) return undefined;
    if (entry.sizeBytes > maxFileBytes) throw new SourceError(`${JSON.stringify(path)} is too large`, { isFinal: true });
    return (await readBlobs([entry.oid], entry.sizeBytes)).get(entry.oid);
  }

  async function read(folder: string, { badLinks }: { badLinks: 'refuse' | 'skip' }): Promise<Map<string, Buffer>> {
    const chosen = new Map<string, Entry>();
    let looks = 0;
    collect(folder, '', 0);
    let total = 0;
    for (const { sizeBytes } of chosen.values()) total += sizeBytes;
    if (total > maxUnpackedBytes)
      throw new SourceError(`the folder has more than the ${maxUnpackedBytes} bytes that are allowed`, { isFinal: true });
    const blobs = await readBlobs([...new Set([...chosen.values()].map(({ oid }) => oid))], total);
    return new Map([...chosen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, { oid }]) => [path, blobs.get(oid)!]));

    /** Takes what lies below `from` and calls it by its path below `to`. */
    function collect(from: string, to: string, depth: number): void {
      const prefix = from === '' ? '' : `${from}/`;
      looks += entries.size;
      if (looks > maxLooks) throw new SourceError('the repository has too many links', { isFinal: true });
      for (const [path, entry] of entries) {
        if (!path.startsWith(prefix)) continue;
        add(path, to + path.slice(prefix.length), entry, depth);
      }
    }

    function add(path: string, name: string, entry: Entry, depth: number): void {
      if (entry.mode === '120000') return follow(path, name, depth);
      if (entry.mode === '160000') return leaveOut(name, 'is a submodule, which is not fetched');
      if (chosen.size >= maxFiles) throw new SourceError(`the folder has more than ${maxFiles} files`, { isFinal: true });
      chosen.set(name, entry);
    }

    function follow(path: string, name: string, depth: number): void {
      const text = links.get(path) ?? '';
      const target = posix.join(posix.dirname(path), text);
      const isAbove = target === '.' || target === './' || path.startsWith(`${target.replace(/\/$/, '')}/`);
      const isOutside = text === '' || text.startsWith('/') || !isInside(target) || depth >= maxLinkDepth;
      if (isOutside) return leaveOut(name, 'is a link that leads out of the repository');
      if (isAbove) return leaveOut(name, 'is a link to a folder that it is in');
      const entry = entries.get(target);
      if (entry) return add(target, name, entry, depth + 1);
      const before = chosen.size;
      collect(target.replace(/\/$/, ''), `${name}/`, depth + 1);
      if (chosen.size === before) leaveOut(name, 'is a link that leads nowhere');
    }

    function leaveOut(name: string, why: string): void {
      if (badLinks === 'refuse') throw new SourceError(`${JSON.stringify(name)} ${why}`, { isFinal: true });
    }
  }

  async function readLinks(): Promise<Map<string, string>> {
    const found = [...entries].filter(([, { mode, sizeBytes }]) => mode === '120000' && sizeBytes <= maxLinkBytes);
    const blobs = await readBlobs(
      found.map(([, { oid }]) => oid),
      found.length * maxLinkBytes,
    );
    return new Map(found.map(([path, { oid }]) => [path, blobs.get(oid)!.toString()]));
  }

  async function readBlobs(oids: readonly string[], totalBytes: number): Promise<Map<string, Buffer>> {
    if (oids.length === 0) return new Map();
    const printed = await git(['cat-file', '--batch'], { input: `${oids.join('\n')}\n`, maxBytes: totalBytes + oids.length * 128 });
    const blobs = new Map<string, Buffer>();
    for (let at = 0; at < printed.length;) {
      const end = printed.indexOf(10, at);
      const [oid = '', type, size] = printed.toString('latin1', at, end).split(' ');
      const length = Number(size);
      if (end < 0 || type !== 'blob' || !Number.isSafeInteger(length)) throw new Error('git does not have what it lists');
      blobs.set(oid, Buffer.from(printed.subarray(end + 1, end + 1 + length)));
      at = end + 1 + length + 1;
    }
    if (oids.some(oid => !blobs.has(oid))) throw new Error('git does not have what it lists');
    return blobs;
  }
}

/** git refuses most other paths itself; whoever wrote the objects need not have used git. */
function isInside(path: string): boolean {
  return !path.startsWith('/') && path.split('/').every(part => part !== '..' && part !== '.git');
}
