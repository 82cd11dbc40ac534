import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { checkFormat } from './data-format.ts';
import { journalRow, operations } from './sql-row.ts';
import { packRows, unpackRows, type PackedBatch, type PackedRows } from './packed-rows.ts';
import { isLocked, isStorageFull } from './storage-full.ts';
import type { Keyspace } from './keyspaces.ts';

/** Rows that travel in one answer while loading. */
const loadChunk = 512;

export interface PackedKeyspaceBatch extends PackedBatch {
  readonly keyspace: number;
}

/** What the thread that owns the file can be asked for. */
export interface KeyspaceCalls {
  list(): Keyspace[];
  create(name: string, facts: string, secrets: string): Keyspace;
  secrets(id: number): string;
  rewrite(id: number, facts: string, secrets: string): void;
  drop(id: number): void;
  havingMoreThan(resources: readonly string[]): number[];
  load(keyspace: number, afterRevision: number): { rows: PackedRows; compactedRevision: number };
  append(batches: readonly PackedKeyspaceBatch[]): void;
  readShared(digest: string): string | undefined;
  writeShared(digest: string, text: string): void;
  close(): void;
}

export interface KeyspaceRequest {
  readonly id: number;
  readonly call: keyof KeyspaceCalls;
  readonly args: readonly unknown[];
}

export type KeyspaceReply =
  | { readonly type: 'opened' }
  | { readonly type: 'refused'; readonly isLocked: boolean; readonly message: string }
  | { readonly type: 'done'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly isFull: boolean; readonly message: string };

const port = parentPort!;
const { file } = workerData as { file: string };
const reply = (message: KeyspaceReply) => port.postMessage(message);

function open(): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 0 });
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 2000');
  // Sandboxes outlive the end of the process, but need not outlive a power cut to the last write: no wait for the disk at every commit.
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA journal_size_limit = 33554432; PRAGMA temp_store = MEMORY');
  checkFormat(db);
  db.exec(`CREATE TABLE IF NOT EXISTS keyspaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, facts TEXT NOT NULL, secrets TEXT NOT NULL,
    compacted INTEGER NOT NULL DEFAULT 0) STRICT`);
  db.exec(`CREATE TABLE IF NOT EXISTS log (
    keyspace INTEGER NOT NULL, revision INTEGER NOT NULL, resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    operation INTEGER NOT NULL, value BLOB NOT NULL) STRICT`);
  db.exec('CREATE INDEX IF NOT EXISTS log_by_revision ON log (keyspace, revision, resource)');
  db.exec('CREATE TABLE IF NOT EXISTS shared (digest TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT');
  return db;
}

function callsOf(db: DatabaseSync): KeyspaceCalls {
  const insertRow = db.prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)');
  const removeRow = db.prepare('DELETE FROM log WHERE keyspace = ? AND revision = ?');
  const compactedOf = db.prepare('SELECT compacted FROM keyspaces WHERE id = ?');
  const setCompacted = db.prepare('UPDATE keyspaces SET compacted = ?1 WHERE id = ?2 AND compacted <> ?1');
  const selectRows = db.prepare('SELECT * FROM log WHERE keyspace = ? AND revision > ? ORDER BY revision LIMIT ?');

  return {
    list: () => db.prepare('SELECT id, name, facts FROM keyspaces ORDER BY id').all() as unknown as Keyspace[],
    create(name, facts, secrets) {
      const { lastInsertRowid } = db.prepare('INSERT INTO keyspaces (name, facts, secrets) VALUES (?, ?, ?)').run(name, facts, secrets);
      return { id: Number(lastInsertRowid), name, facts };
    },
    secrets: id => String(db.prepare('SELECT secrets FROM keyspaces WHERE id = ?').get(id)?.secrets ?? ''),
    rewrite: (id, facts, secrets) => void db.prepare('UPDATE keyspaces SET facts = ?, secrets = ? WHERE id = ?').run(facts, secrets, id),
    drop: id =>
      inTransaction(() => {
        db.prepare('DELETE FROM log WHERE keyspace = ?').run(id);
        db.prepare('DELETE FROM keyspaces WHERE id = ?').run(id);
      }),
    havingMoreThan(resources) {
      const marks = resources.map(() => '?').join();
      const rows = db.prepare(`SELECT DISTINCT keyspace FROM log WHERE resource NOT IN (${marks})`).all(...resources);
      return rows.map(row => Number(row.keyspace));
    },
    load(keyspace, afterRevision) {
      const rows = selectRows.all(keyspace, afterRevision, loadChunk).map(journalRow);
      return { rows: packRows(rows), compactedRevision: Number(compactedOf.get(keyspace)?.compacted ?? 0) };
    },
    append: batches =>
      inTransaction(() => {
        for (const { keyspace, rows, obsolete, compactedRevision } of batches) {
          for (const revision of obsolete) removeRow.run(keyspace, revision);
          for (const row of unpackRows(rows))
            insertRow.run(keyspace, row.revision, row.resource, row.namespace, row.name, operations.indexOf(row.operation), row.value);
          setCompacted.run(compactedRevision, keyspace);
        }
      }),
    readShared(digest) {
      const row = db.prepare('SELECT text FROM shared WHERE digest = ?').get(digest);
      return row && String(row.text);
    },
    writeShared: (digest, text) => void db.prepare('INSERT OR IGNORE INTO shared VALUES (?, ?)').run(digest, text),
    close: () => db.close(),
  };

  function inTransaction(work: () => void): void {
    db.exec('BEGIN IMMEDIATE');
    try {
      work();
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

function answer(calls: KeyspaceCalls, { id, call, args }: KeyspaceRequest): void {
  try {
    const run = calls[call] as (...args: readonly unknown[]) => unknown;
    reply({ type: 'done', id, result: run(...args) });
  } catch (error) {
    const isFull = isStorageFull(error);
    if (call === 'append' && !isFull) throw error;
    reply({ type: 'failed', id, isFull, message: (error as Error).message });
  }
}

try {
  const calls = callsOf(open());
  port.on('message', (request: KeyspaceRequest) => answer(calls, request));
  reply({ type: 'opened' });
} catch (error) {
  reply({ type: 'refused', isLocked: isLocked(error), message: (error as Error).message });
}
