import { once } from 'node:events';
import { StorageFullError, type Journal, type JournalRow } from './journal.ts';
import { packRows, unpackRows, type JournalReply, type JournalRequest } from './packed-rows.ts';
import { startWorker, stopBecauseUnknown } from './start-worker.ts';

export class DataInUseError extends Error {
  override name = 'DataInUseError';
}

/**
 * Keeps the journal in one SQLite file. SQLite runs in a worker thread, because its calls wait for the disk. A failure that is not
 * a full disk ends the process: after a failed fsync nobody knows what the file holds, and only a fresh start can find out.
 */
export async function openSqliteJournal(file: string, options: { maxPages?: number } = {}): Promise<Journal> {
  const worker = startWorker('./sqlite-worker.ts', { file, ...options });
  const send = (request: JournalRequest, transfer: ArrayBuffer[] = []) => worker.postMessage(request, transfer);
  const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  let nextId = 1;
  let onRows: (rows: JournalRow[]) => void = () => {};
  let closed: Promise<void> | undefined;
  let onClosed: () => void = () => {};
  let onLoaded: (result: { compactedRevision: number }) => void = () => {};

  const [first] = (await once(worker, 'message')) as [JournalReply];
  if (first.type === 'refused') {
    await worker.terminate();
    if (first.locked) throw new DataInUseError(`data file "${file}" is in use by another process`);
    throw new Error(`cannot open data file "${file}": ${first.message}`);
  }

  worker.on('message', (reply: JournalReply) => {
    switch (reply.type) {
      case 'rows':
        return onRows(unpackRows(reply.rows));
      case 'loaded':
        return onLoaded(reply);
      case 'appended':
        waiting.get(reply.id)?.resolve();
        return void waiting.delete(reply.id);
      case 'full':
        waiting.get(reply.id)?.reject(new StorageFullError(reply.message));
        return void waiting.delete(reply.id);
      case 'closed':
        return onClosed();
      default:
    }
  });
  worker.on('error', (error: Error) => stopBecauseUnknown(file, error));

  return {
    load(receive) {
      onRows = receive;
      const loaded = new Promise<{ compactedRevision: number }>(resolve => (onLoaded = resolve));
      send({ type: 'load' });
      return loaded;
    },
    append(batch) {
      const id = nextId++;
      const rows = packRows(batch.rows);
      send({ type: 'append', id, batch: { ...batch, rows } }, [rows.values.buffer]);
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    close() {
      closed ??= new Promise(resolve => {
        onClosed = () => void worker.terminate().then(() => resolve());
        send({ type: 'close' });
      });
      return closed;
    },
  };
}
