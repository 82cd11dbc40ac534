import { once } from 'node:events';
import { StorageFullError, type Journal } from './journal.ts';
import type { KeyspaceCalls, KeyspaceReply, KeyspaceRequest, PackedKeyspaceBatch } from './keyspace-worker.ts';
import type { KeyspaceBatch, Keyspaces } from './keyspaces.ts';
import { packRows, unpackRows } from './packed-rows.ts';
import { DataInUseError } from './sqlite-journal.ts';
import { startWorker, stopBecauseUnknown } from './start-worker.ts';

interface Waiting {
  resolve(result: never): void;
  reject(error: Error): void;
}

/**
 * Keeps many stores in one SQLite file with one writer. What they write while a commit is under way goes to the file together with the
 * next one. A commit survives the end of the process; after a power cut the last ones may be gone, but never a part of one.
 */
export async function openSqliteKeyspaces(file: string): Promise<Keyspaces> {
  const worker = startWorker('./keyspace-worker.ts', { file });
  const [first] = (await once(worker, 'message')) as [KeyspaceReply];
  if (first.type === 'refused') {
    await worker.terminate();
    if (first.isLocked) throw new DataInUseError(`data file "${file}" is in use by another process`);
    throw new Error(`cannot open data file "${file}": ${first.message}`);
  }
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  worker.on('error', (error: Error) => stopBecauseUnknown(file, error));
  worker.on('message', (reply: KeyspaceReply) => {
    if (reply.type !== 'done' && reply.type !== 'failed') return;
    const caller = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.type === 'done') caller?.resolve(reply.result as never);
    else caller?.reject(reply.isFull ? new StorageFullError(reply.message) : new Error(`cannot use "${file}": ${reply.message}`));
  });

  function ask<C extends keyof KeyspaceCalls>(call: C, ...args: Parameters<KeyspaceCalls[C]>): Promise<ReturnType<KeyspaceCalls[C]>> {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, call, args } satisfies KeyspaceRequest);
    });
  }

  const append = groupCommits(batches => ask('append', batches));
  return {
    list: () => ask('list'),
    create: (name, facts, secrets) => ask('create', name, facts, secrets),
    secrets: id => ask('secrets', id),
    rewrite: (id, facts, secrets) => ask('rewrite', id, facts, secrets),
    drop: id => ask('drop', id),
    havingMoreThan: resources => ask('havingMoreThan', resources),
    journal: keyspace => journalOf(keyspace, (id, afterRevision) => ask('load', id, afterRevision), append),
    readShared: digest => ask('readShared', digest),
    writeShared: (digest, text) => ask('writeShared', digest, text),
    async close() {
      await ask('close');
      await worker.terminate();
    },
  };
}

type Load = (keyspace: number, afterRevision: number) => Promise<ReturnType<KeyspaceCalls['load']>>;

function journalOf(keyspace: number, load: Load, append: (batch: KeyspaceBatch) => Promise<void>): Journal {
  return {
    async load(onRows) {
      let afterRevision = 0;
      for (;;) {
        const { rows, compactedRevision } = await load(keyspace, afterRevision);
        if (rows.heads.length === 0) return { compactedRevision };
        afterRevision = rows.heads.at(-1)![0];
        onRows(unpackRows(rows));
      }
    },
    append: batch => append({ ...batch, keyspace }),
    close: () => Promise.resolve(),
  };
}

/** Gathers what arrives while a commit is under way into the next one. All of a group reach the file, or none. */
function groupCommits(commit: (batches: PackedKeyspaceBatch[]) => Promise<void>): (batch: KeyspaceBatch) => Promise<void> {
  let gathered: { batch: KeyspaceBatch; resolve: () => void; reject: (error: Error) => void }[] = [];
  let isUnderWay = false;

  return batch =>
    new Promise((resolve, reject) => {
      gathered.push({ batch, resolve, reject });
      if (!isUnderWay) void commitAll();
    });

  async function commitAll(): Promise<void> {
    isUnderWay = true;
    while (gathered.length > 0) {
      const group = gathered;
      gathered = [];
      try {
        await commit(group.map(({ batch }) => ({ ...batch, rows: packRows(batch.rows) })));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error as Error);
      }
    }
    isUnderWay = false;
  }
}
