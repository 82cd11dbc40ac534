import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { printJson } from '../../util/json.ts';

export interface AuditLogOptions {
  path: string;
  /** The file is put aside when it has grown to this size. Default 100 MiB. */
  maxFileBytes?: number;
  /** How many files that were put aside are kept. Default 10. */
  maxFiles?: number;
  /** Events waiting for the disk beyond this are dropped and counted, so that a slow disk never stops the server. Default 16 MiB. */
  maxBufferBytes?: number;
  onError?(error: unknown): void;
}

export interface AuditLog extends AsyncDisposable {
  write(event: object): void;
  /** Events lost because the disk was too slow or refused them. */
  readonly dropped: number;
  readonly path: string;
  /** Calls whenever more has been written to the file, until disposed of. */
  onWritten(listener: () => void): Disposable;
  /** Resolves when all events so far are in the file. */
  flush(): Promise<void>;
}

const gatherMs = 20;

/** A file of JSON lines that only its owner reads. */
export function auditLog(options: AuditLogOptions): AuditLog {
  const { path, maxFileBytes = 100 * 2 ** 20, maxFiles = 10, maxBufferBytes = 16 * 2 ** 20, onError } = options;
  let lines: string[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let file: FileHandle | undefined;
  let fileBytes = 0;
  let working: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  return {
    path,
    write,
    onWritten(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    get dropped() {
      return dropped;
    },
    flush,
    async [Symbol.asyncDispose]() {
      await flush();
      await file?.close();
      file = undefined;
    },
  };

  function write(event: object): void {
    const line = `${printJson(event)}\n`;
    if (waitingBytes + line.length > maxBufferBytes) {
      dropped++;
      return;
    }
    lines.push(line);
    waitingBytes += line.length;
    working ??= work();
  }

  async function flush(): Promise<void> {
    while (working) await working;
  }

  async function work(): Promise<void> {
    while (lines.length > 0) {
      // A little later, so that the events of a busy moment share one write.
      await sleep(gatherMs);
      const batch = lines;
      lines = [];
      waitingBytes = 0;
      try {
        await append(batch.join(''));
        for (const listener of listeners) listener();
      } catch (error) {
        dropped += batch.length;
        onError?.(error);
      }
    }
    working = undefined;
  }

  async function append(text: string): Promise<void> {
    if (!file) {
      file = await open(path, 'a', 0o600);
      fileBytes = (await file.stat()).size;
    }
    const bytes = Buffer.from(text);
    if (fileBytes > 0 && fileBytes + bytes.length > maxFileBytes) await rotate();
    for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
    fileBytes += bytes.length;
  }

  async function rotate(): Promise<void> {
    await file?.close();
    await rename(path, `${path}.${new Date().toISOString().replace(/[:.]/g, '-')}-${process.hrtime.bigint()}`);
    file = await open(path, 'a', 0o600);
    fileBytes = 0;
    const aside = (await readdir(dirname(path))).filter(name => name.startsWith(`${basename(path)}.`)).sort();
    for (const name of aside.slice(0, Math.max(0, aside.length - maxFiles))) await rm(join(dirname(path), name), { force: true });
  }
}
