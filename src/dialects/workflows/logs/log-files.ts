import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { log } from '../../../runtime/log.ts';
import { hideSecrets, type Hide } from './hide-secrets.ts';
import { followEntries } from './follow-entries.ts';
import { fileOfPlace, overflowFile, parseEntries, streamKey, type Stream } from './log-file-names.ts';
import { readEntries } from './read-entries.ts';
import type { LogEntry, LoggedRun, LogLine, LogPlace, RunLogs } from './run-logs.ts';

export interface LogFilesOptions {
  readonly dir: string;
  now?(): Date;
  /** Of one unit at one place, all together: what comes first is kept for one half, what comes last for the other. */
  readonly maxBytes?: number;
}

interface Unit {
  count: number;
  bytes: number;
  /** Of the present overflow file. */
  overflowBytes: number;
}

const fiveMebibytes = 5 * 1024 * 1024;
const maxKnownFiles = 5_000;

/** Logs of runs as files: a folder for each run, in it a file of JSON lines for the run itself and one for each cluster. */
export function logFiles({ dir, now = () => new Date(), maxBytes = fiveMebibytes }: LogFilesOptions): RunLogs {
  const headBytes = maxBytes / 2;
  // Two of them are kept.
  const overflowBytes = maxBytes / 4;
  const known = new LRUCache<string, Map<string, Unit>>({ max: maxKnownFiles });
  const secrets = new Map<string, { readonly values: Set<string>; hide: Hide }>();
  const listeners = new Map<string, Set<(entries: readonly LogEntry[]) => void>>();
  mkdirSync(dir, { recursive: true, mode: 0o700 });

  return {
    append: (run, place, lines) => write(run, place, lines, true),
    add: (run, place, lines) => write(run, place, lines, false),
    hide(uid, values) {
      const kept = secrets.get(uid) ?? { values: new Set<string>(), hide: hideSecrets([]) };
      const before = kept.values.size;
      for (const value of values) kept.values.add(value);
      if (kept.values.size !== before) kept.hide = hideSecrets(kept.values);
      secrets.set(uid, kept);
    },
    remove(uid) {
      secrets.delete(uid);
      listeners.delete(uid);
      for (const file of known.keys()) if (file.startsWith(`${uid}/`)) known.delete(file);
      attempt(() => rmSync(join(dir, folderOf(uid)), { recursive: true, force: true }));
    },
    kept: () => attempt(() => readdirSync(dir)) ?? [],
    read: (uid, query = {}) => readEntries(join(dir, folderOf(uid)), query),
    follow: (uid, query, signal) => followEntries(join(dir, folderOf(uid)), { query, signal, listen: hear => listen(uid, hear) }),
  };

  function write({ uid }: LoggedRun, place: LogPlace, lines: readonly LogLine[], isFromFirst: boolean): void {
    if (lines.length === 0) return;
    try {
      const file = `${folderOf(uid)}/${fileOfPlace(place.cluster)}`;
      const units = known.get(file) ?? unitsIn(join(dir, file));
      known.set(file, units);
      const entries = newEntries(units, place, lines, { isFromFirst, hide: secrets.get(uid)?.hide ?? (text => text) });
      if (entries.length === 0) return;
      store(file, units, entries);
      for (const hear of listeners.get(uid) ?? []) hear(entries);
    } catch (err) {
      log.warn('a log was not written', { name: uid, err });
    }
  }

  function newEntries(
    units: Map<string, Unit>,
    place: LogPlace,
    lines: readonly LogLine[],
    { isFromFirst, hide }: { isFromFirst: boolean; hide: Hide },
  ): LogEntry[] {
    const ts = now().toISOString();
    const told = new Map<string, number>();
    const entries: LogEntry[] = [];
    for (const { unit, level, message } of lines) {
      const key = streamKey({ ...place, unit });
      const { count } = unitOf(units, key);
      const said = told.get(key) ?? (isFromFirst ? 0 : count);
      told.set(key, said + 1);
      if (said < count) continue;
      unitOf(units, key).count = said + 1;
      const { cluster, step, grant } = place;
      entries.push({ ts, level, ...(cluster !== undefined && { cluster }), step, unit, grant, seq: said, msg: hide(message) });
    }
    return entries;
  }

  function store(file: string, units: Map<string, Unit>, entries: readonly LogEntry[]): void {
    let head = '';
    for (const entry of entries) {
      const line = `${JSON.stringify(entry)}\n`;
      const unit = unitOf(units, streamKey(entry));
      unit.bytes += Buffer.byteLength(line);
      if (unit.bytes <= headBytes) head += line;
      else overflow(file, entry, unit, line);
    }
    if (head !== '') appendTo(join(dir, file), head);
  }

  /** What comes last: the older of the two files goes when the younger is full. */
  function overflow(file: string, stream: Stream, unit: Unit, line: string): void {
    const path = join(dir, overflowFile(file, stream));
    if (unit.overflowBytes > overflowBytes) {
      renameSync(path, `${path}.old`);
      unit.overflowBytes = 0;
    }
    appendTo(path, line);
    unit.overflowBytes += Buffer.byteLength(line);
  }

  function listen(uid: string, hear: (entries: readonly LogEntry[]) => void): Disposable {
    const all = listeners.get(uid) ?? new Set();
    listeners.set(uid, all.add(hear));
    return { [Symbol.dispose]: () => void all.delete(hear) };
  }
}

/** A disk that refuses ends nobody: what could not be removed is removed at the next start. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (err) {
    log.warn('logs were not removed', { err });
    return undefined;
  }
}

/** The folder of a run is made when the first file of it is. */
function appendTo(path: string, text: string): void {
  try {
    appendFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, text, { mode: 0o600 });
  }
}

function unitOf(units: Map<string, Unit>, key: string): Unit {
  let unit = units.get(key);
  if (!unit) units.set(key, (unit = { count: 0, bytes: 0, overflowBytes: 0 }));
  return unit;
}

/** What a file holds already, for whoever goes on with it. */
function unitsIn(path: string): Map<string, Unit> {
  const units = new Map<string, Unit>();
  const streams = new Map<string, Stream>();
  for (const entry of parseEntries(textOf(path))) {
    const unit = unitOf(units, streamKey(entry));
    unit.count = entry.seq + 1;
    unit.bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    streams.set(streamKey(entry), entry);
  }
  for (const [key, stream] of streams) {
    const file = overflowFile(path, stream);
    const last = parseEntries(textOf(file)).at(-1);
    if (!last) continue;
    const { size } = statSync(file);
    Object.assign(unitOf(units, key), { count: last.seq + 1, bytes: Infinity, overflowBytes: size });
  }
  return units;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Uids are made by API servers, and still nothing else than a folder may come of one. */
const folderOf = (uid: string): string => uid.replace(/[^a-zA-Z0-9-]/g, '_');
