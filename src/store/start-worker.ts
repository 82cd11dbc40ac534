import { Worker } from 'node:worker_threads';
import { siblingModule } from '../util/sibling-module.ts';

/**
 * Runs a file of this folder in a thread of its own. A worker does not inherit the compile cache, and its first file is not served from
 * one; without it, opening a data file would be the slowest part of starting.
 */
export function startWorker(file: string, workerData: object): Worker {
  const url = siblingModule(file, import.meta.url);
  return new Worker(`require('node:module').enableCompileCache(); import(${JSON.stringify(url)})`, { eval: true, workerData });
}

/** After a failed write nobody knows what the file holds, and only a fresh start can find out. */
export function stopBecauseUnknown(file: string, error: Error): never {
  process.stderr.write(`cannot write to "${file}": ${error.message}; stopping, because its state is unknown\n`);
  process.exit(70);
}
