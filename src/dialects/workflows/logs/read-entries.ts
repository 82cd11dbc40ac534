import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { overflowFile, parseEntries, placeOfFile, streamKey } from './log-file-names.ts';
import type { LogEntry, LogQuery } from './run-logs.ts';

export function matches(entry: LogEntry, { clusters, step, unit, since }: LogQuery): boolean {
  if (clusters && clusters.length > 0 && !clusters.includes(entry.cluster ?? '')) return false;
  if (step !== undefined && step !== '' && entry.step !== step) return false;
  if (unit !== undefined && unit !== '' && entry.unit !== unit) return false;
  return since === undefined || Date.parse(entry.ts) >= since.getTime();
}

/** What a folder holds: the run itself, then its clusters. */
export async function* readEntries(folder: string, query: LogQuery): AsyncGenerator<LogEntry> {
  for (const file of await filesOf(folder, query)) {
    const last = new Map<string, LogEntry>();
    for await (const entry of linesOf(join(folder, file))) {
      const key = streamKey(entry);
      const before = last.get(key);
      last.set(key, entry);
      // A unit is whole before the next one begins, but for those that go on at the same time.
      if (before === undefined && last.size > 1) yield* ends(folder, file, last, key, query);
      if (matches(entry, query)) yield entry;
    }
    yield* ends(folder, file, last, undefined, query);
  }
}

/** What the units before `present` said last, where they said more than is kept in one piece. */
async function* ends(
  folder: string,
  file: string,
  last: Map<string, LogEntry>,
  present: string | undefined,
  query: LogQuery,
): AsyncGenerator<LogEntry> {
  for (const [key, entry] of last) {
    if (key === present) continue;
    last.delete(key);
    let seq = entry.seq;
    for (const name of [`${overflowFile(file, entry)}.old`, overflowFile(file, entry)])
      for await (const one of linesOf(join(folder, name))) {
        if (one.seq > seq + 1) yield { ...one, seq: seq + 1, level: 'WARN', msg: `${one.seq - seq - 1} lines are left out` };
        seq = one.seq;
        if (matches(one, query)) yield one;
      }
  }
}

async function filesOf(folder: string, { clusters = [] }: LogQuery): Promise<string[]> {
  const files = (await readdir(folder).catch(() => [])).map(file => ({ file, place: placeOfFile(file) }));
  return files
    .filter(({ place }) => place !== undefined && (clusters.length === 0 || clusters.includes(place)))
    .toSorted((a, b) => (a.place! < b.place! ? -1 : 1))
    .map(({ file }) => file);
}

async function* linesOf(path: string): AsyncGenerator<LogEntry> {
  const stream = createReadStream(path, 'utf8');
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) yield* parseEntries(line);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    stream.destroy();
  }
}
