import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { JournalBatch } from './journal.ts';
import type { JournalReply, JournalRequest, PackedRows } from './sqlite-journal.ts';

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
  db.exec(`CREATE TABLE IF NOT EXISTS log (
    revision INTEGER PRIMARY KEY, resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    operation INTEGER NOT NULL, value BLOB NOT NULL) STRICT`);
  db.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID');
  const [check] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
  if (check?.quick_check !== 'ok') throw new Error(`database ${file} is damaged: ${check?.quick_check}; restore it from a backup`);
  if (maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${maxPages}`);
  return db;
}

const operations = ['create', 'update', 'delete'] as const;
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
  let rows: PackedRows = { heads: [], values: new Uint8Array() };
  let values: Uint8Array[] = [];
  const flush = () => {
    if (rows.heads.length === 0) return;
    const bytes = new Uint8Array(values.reduce((sum, v) => sum + v.length, 0));
    let offset = 0;
    for (const value of values) {
      bytes.set(value, offset);
      offset += value.length;
    }
    reply({ type: 'rows', rows: { heads: rows.heads, values: bytes } }, [bytes.buffer]);
    rows = { heads: [], values: new Uint8Array() };
    values = [];
  };
  for (const row of db.prepare('SELECT * FROM log ORDER BY revision').iterate()) {
    const value = row.value as Uint8Array;
    rows.heads.push([
      Number(row.revision),
      String(row.resource),
      String(row.namespace),
      String(row.name),
      operations[Number(row.operation)]!,
      value.length,
    ]);
    values.push(value);
    if (rows.heads.length === loadChunk) flush();
  }
  flush();
  const meta = db.prepare("SELECT value FROM meta WHERE key = 'compactedRevision'").get();
  reply({ type: 'loaded', compactedRevision: Number(meta?.value ?? 0) });
}

/** SQLITE_FULL, and the answers of a file system that is out of space or over its quota. */
function isStorageFull(error: unknown): boolean {
  const { errcode, message } = error as { errcode?: number; message?: string };
  return errcode === 13 || /database or disk is full|ENOSPC|EDQUOT/.test(message ?? '');
}

let compacted = -1;
let hasReserve = false;

function keepReserve(): void {
  if (hasReserve) return;
  db.exec(`CREATE TABLE IF NOT EXISTS reserve (bytes BLOB)`);
  if (!db.prepare('SELECT 1 FROM reserve').get()) db.exec(`INSERT INTO reserve VALUES (zeroblob(${reserveBytes}))`);
  hasReserve = true;
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
    write(batch);
    reply({ type: 'appended', id });
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    if (!isStorageFull(error)) throw error;
    if (spendReserve(batch)) reply({ type: 'appended', id });
    else reply({ type: 'full', id, message: (error as Error).message });
  }
}

/** Only batches that delete may use the reserve; it is set aside again when space returns. */
function spendReserve(batch: JournalBatch): boolean {
  if (batch.rows.some(row => row.operation !== 'delete')) return false;
  try {
    db.exec('DELETE FROM reserve');
    hasReserve = false;
    write(batch);
    return true;
  } catch {
    if (db.isTransaction) db.exec('ROLLBACK');
    return false;
  }
}

port.on('message', (request: JournalRequest) => {
  if (request.type === 'load') return load();
  if (request.type === 'append') return append(request.id, request.batch);
  if (request.type === 'reserve') {
    try {
      keepReserve();
    } catch (error) {
      if (!isStorageFull(error)) throw error;
    }
    return;
  }
  db.close();
  reply({ type: 'closed' });
});

try {
  start();
  reply({ type: 'opened' });
} catch (error) {
  const locked = (error as { errcode?: number }).errcode === 5;
  reply({ type: 'refused', locked, message: (error as Error).message });
}
