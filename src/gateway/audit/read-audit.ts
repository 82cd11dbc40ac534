import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AuditLog } from '../../apiserver/audit/audit-log.ts';
import { LineSplitter } from '../../client/read-watch.ts';
import { isJsonObject, parseJson, type Json } from '../../util/json.ts';
import { matchesQuery, type AuditQuery } from './audit-query.ts';

export interface ReadAuditOptions {
  /** Whether to wait for what is written later. */
  readonly isFollowing?: boolean;
  /** Not all of the past: at most so many of the last lines, and of the file no more than its last part is looked at. */
  readonly newest?: number | undefined;
  readonly signal: AbortSignal;
}

type ReadableLog = Pick<AuditLog, 'path' | 'flush' | 'onWritten'>;

const chunkBytes = 64 * 1024;
const maxLineBytes = 4 * 1024 * 1024;
/** Some thousand lines. */
const newestBytes = 4 * 1024 * 1024;

/** The lines of the log that match, the oldest first, through all the files that were put aside. Holds no more than one line in memory. */
export async function* readAudit(
  log: ReadableLog,
  query: AuditQuery,
  { isFollowing = false, newest, signal }: ReadAuditOptions,
): AsyncGenerator<string> {
  await log.flush();
  let written = Promise.withResolvers<void>();
  using _listening = log.onWritten(() => written.resolve());
  const leave = () => written.resolve();
  signal.addEventListener('abort', leave, { once: true });
  try {
    let last: number | undefined;
    let recent: string[] | undefined = newest === undefined ? undefined : [];
    let from = recent && (await tailOf(log.path));
    while (!signal.aborted) {
      const path = from?.path ?? (await nextFile(log.path, last, query.since));
      if (path === undefined) {
        if (!isFollowing) return;
        await more();
        continue;
      }
      await using handle = await open(path);
      last = (await handle.stat()).ino;
      const cursor = { handle, position: from?.position ?? 0, splitter: new LineSplitter(maxLineBytes) };
      from = undefined;
      for (;;) {
        // Looked at before reading: what comes after it has been put aside is in another file.
        const isCurrent = (await inodeOf(log.path)) === last;
        for await (const line of matchingLines(cursor, query))
          if (!recent) yield line;
          else if (recent.push(line) > newest!) recent.shift();
        if (!isCurrent) break;
        yield* recent ?? [];
        recent = undefined;
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

interface Cursor {
  readonly handle: FileHandle;
  readonly splitter: LineSplitter;
  position: number;
}

async function* matchingLines(cursor: Cursor, query: AuditQuery): AsyncGenerator<string> {
  const buffer = Buffer.alloc(chunkBytes);
  for (;;) {
    const { bytesRead } = await cursor.handle.read(buffer, 0, chunkBytes, cursor.position);
    if (bytesRead === 0) return;
    cursor.position += bytesRead;
    for (const line of cursor.splitter.push(Buffer.from(buffer.subarray(0, bytesRead)))) {
      const event = parsed(line);
      if (isJsonObject(event) && matchesQuery(event, query)) yield line;
    }
  }
}

/** A line that was cut, by a crash or because reading began within it, is nobody's. */
function parsed(line: string): Json {
  try {
    return parseJson(line);
  } catch {
    return null;
  }
}

/** Where the last part of the log begins: within its file, or within the one before while that is short. Undefined when there is none. */
async function tailOf(path: string): Promise<{ path: string; position: number } | undefined> {
  let missing = newestBytes;
  let from: { path: string; position: number } | undefined;
  for (const { path: one, size } of (await filesOf(path)).reverse()) {
    from = { path: one, position: Math.max(0, size - missing) };
    missing -= size;
    if (missing <= 0) break;
  }
  return from;
}

/** All files of the log that are there, the oldest first. */
async function filesOf(path: string) {
  const names = (await readdir(dirname(path))).filter(name => name.startsWith(`${basename(path)}.`)).sort();
  const paths = [...names.map(name => join(dirname(path), name)), path];
  const files = await Promise.all(paths.map(async one => ({ path: one, stats: await stat(one).catch(() => undefined) })));
  return files.flatMap(({ path: one, stats }) => (stats ? [{ path: one, ino: stats.ino, size: stats.size, mtimeMs: stats.mtimeMs }] : []));
}

/** The file after the one with this inode; the first that can hold anything wanted when there was none yet, or when it is gone. */
async function nextFile(path: string, last: number | undefined, since: Date | undefined): Promise<string | undefined> {
  const files = await filesOf(path);
  const index = last === undefined ? -1 : files.findIndex(({ ino }) => ino === last);
  return files.slice(index + 1).find(({ mtimeMs }) => !since || mtimeMs >= since.getTime())?.path;
}

async function inodeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.ino;
}
