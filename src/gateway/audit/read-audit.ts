import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AuditLog } from '../../apiserver/audit/audit-log.ts';
import { LineSplitter } from '../../client/read-watch.ts';
import { isJsonObject, parseJson, type Json } from '../../util/json.ts';
import { matchesQuery, type AuditQuery } from './audit-query.ts';

export interface ReadAuditOptions {
  /** Whether to wait for what is written later. */
  readonly isFollowing?: boolean;
  readonly signal: AbortSignal;
}

type ReadableLog = Pick<AuditLog, 'path' | 'flush' | 'onWritten'>;

const chunkBytes = 64 * 1024;
const maxLineBytes = 4 * 1024 * 1024;

/** The lines of the log that match, the oldest first, through all the files that were put aside. Holds no more than one line in memory. */
export async function* readAudit(
  log: ReadableLog,
  query: AuditQuery,
  { isFollowing = false, signal }: ReadAuditOptions,
): AsyncGenerator<string> {
  await log.flush();
  let written = Promise.withResolvers<void>();
  using _listening = log.onWritten(() => written.resolve());
  const leave = () => written.resolve();
  signal.addEventListener('abort', leave, { once: true });
  try {
    let last: number | undefined;
    while (!signal.aborted) {
      const path = await nextFile(log.path, last, query.since);
      if (path === undefined) {
        if (!isFollowing) return;
        await more();
        continue;
      }
      await using handle = await open(path);
      last = (await handle.stat()).ino;
      const splitter = new LineSplitter(maxLineBytes);
      for (;;) {
        // Looked at before reading: what comes after it has been put aside is in another file.
        const isCurrent = (await inodeOf(log.path)) === last;
        yield* matchingLines(handle, splitter, query);
        if (!isCurrent) break;
        if (!isFollowing || signal.aborted) return;
        await more();
      }
    }
  } finally {
    signal.removeEventListener('abort', leave);
  }

  async function more(): Promise<void> {
    if (!signal.aborted) await written.promise;
    written = Promise.withResolvers();
  }
}

async function* matchingLines(handle: FileHandle, splitter: LineSplitter, query: AuditQuery): AsyncGenerator<string> {
  const buffer = Buffer.alloc(chunkBytes);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null);
    if (bytesRead === 0) return;
    for (const line of splitter.push(Buffer.from(buffer.subarray(0, bytesRead)))) {
      const event = parsed(line);
      if (isJsonObject(event) && matchesQuery(event, query)) yield line;
    }
  }
}

/** A line that was cut by a crash is nobody's. */
function parsed(line: string): Json {
  try {
    return parseJson(line);
  } catch {
    return null;
  }
}

/** The file after the one with this inode; the first that can hold anything wanted when there was none yet, or when it is gone. */
async function nextFile(path: string, last: number | undefined, since: Date | undefined): Promise<string | undefined> {
  const names = (await readdir(dirname(path))).filter(name => name.startsWith(`${basename(path)}.`)).sort();
  const paths = [...names.map(name => join(dirname(path), name)), path];
  const files = await Promise.all(paths.map(async one => ({ path: one, stats: await stat(one).catch(() => undefined) })));
  const present = files.filter(({ stats }) => stats !== undefined);
  const index = last === undefined ? -1 : present.findIndex(({ stats }) => stats?.ino === last);
  return present.slice(index + 1).find(({ stats }) => !since || (stats?.mtimeMs ?? 0) >= since.getTime())?.path;
}

async function inodeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.ino;
}
