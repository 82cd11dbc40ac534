import { rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { JournalBatch, JournalRow } from './journal.ts';
import { packRows, unpackRows, type JournalReply, type JournalRequest } from './packed-rows.ts';
import { journalRow, operations } from './sql-row.ts';
import { checkFormat } from './data-format.ts';
import { isLocked, isStorageFull } from './storage-full.ts';

/** Rows that travel in one message while loading. */
const loadChunk = 512;
/** Kept aside so that deletes, which free space, still find some when the disk is full. */
const reserveBytes = 16 * 1024 * 1024;

const port = parentPort!;
const { file, maxPages } = workerData as { file: string; maxPages?: number };

const reply = (message: JournalReply, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

function open(): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 0 });
  // Exclusive locking keeps a second hub away from the file and spares the shared-memory index.
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000');
  db.exec('PRAGMA cache_size = -8192; PRAGMA journal_size_limit = 33554432; PRAGMA temp_store = MEMORY');
  checkFormat(db);
  db.exec(`CREATE TABLE IF NOT EXISTS log (
    revision INTEGER PRIMARY KEY, resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    operation INTEGER NOT NULL, value BLOB NOT NULL) STRICT`);
  db.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID');
  const [check] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
  if (check?.quick_check !== 'ok') throw new Error(`database ${file} is damaged: ${check?.quick_check}; restore it from a backup`);
  if (maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${maxPages}`);
  return db;
}

let db: DatabaseSync;
let insert: ReturnType<DatabaseSync['prepare']>;
let remove: ReturnType<DatabaseSync['prepare']>;
let setMeta: ReturnType<DatabaseSync['prepare']>;

function start(): void {
  db = open();
  insert = db.prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)');
  remove = db.prepare('DELETE FROM log WHERE revision = ?');
  setMeta = db.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value');
}

function load(): void {
  let rows: JournalRow[] = [];
  const flush = () => {
    const packed = packRows(rows);
    reply({ type: 'rows', rows: packed }, [packed.values.buffer]);
    rows = [];
  };
  for (const row of db.prepare('SELECT * FROM log ORDER BY revision').iterate()) {
    rows.push(journalRow(row));
    if (rows.length === loadChunk) flush();
  }
  if (rows.length > 0) flush();
  const meta = db.prepare("SELECT value FROM meta WHERE key = 'compactedRevision'").get();
  reply({ type: 'loaded', compactedRevision: Number(meta?.value ?? 0) });
}

let compacted = -1;
let hasReserve = false;
const reserveFile = `${file}.reserve`;

/** Sets space aside on the disk, unless it is there already. Throws when there is none. */
function keepReserve(): void {
  if (hasReserve) return;
  try {
    if ((statSync(reserveFile, { throwIfNoEntry: false })?.size ?? 0) !== reserveBytes)
      writeFileSync(reserveFile, Buffer.alloc(reserveBytes));
    hasReserve = true;
  } catch (error) {
    rmSync(reserveFile, { force: true });
    throw error;
  }
}

function write(batch: JournalBatch): void {
  db.exec('BEGIN IMMEDIATE');
  for (const revision of batch.obsolete) remove.run(revision);
  for (const row of batch.rows)
    insert.run(row.revision, row.resource, row.namespace, row.name, operations.indexOf(row.operation), row.value);
  if (batch.compactedRevision !== compacted) setMeta.run('compactedRevision', batch.compactedRevision);
  db.exec('COMMIT');
  compacted = batch.compactedRevision;
}

function append(id: number, batch: JournalBatch): void {
  try {
    // Space that came back belongs to the reserve first; only deletes may do without it.
    const isFreeing = batch.rows.length > 0 && batch.rows.every(row => row.operation === 'delete');
    if (!hasReserve && !isFreeing) keepReserve();
    try {
      write(batch);
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      if (!isFreeing || !isStorageFull(error)) throw error;
      rmSync(reserveFile, { force: true });
      hasReserve = false;
      write(batch);
    }
    reply({ type: 'appended', id });
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    if (!isStorageFull(error)) throw error;
    reply({ type: 'full', id, message: (error as Error).message });
  }
}

port.on('message', (request: JournalRequest) => {
  if (request.type === 'load') return load();
  if (request.type === 'append') return append(request.id, { ...request.batch, rows: unpackRows(request.batch.rows) });
  db.close();
  reply({ type: 'closed' });
});

try {
  start();
  reply({ type: 'opened' });
} catch (error) {
  reply({ type: 'refused', locked: isLocked(error), message: (error as Error).message });
}
