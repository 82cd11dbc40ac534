import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rigCacheDir } from '../test/helpers/rig.ts';

/** What is remembered on this machine from run to run, beside the built programs. */
export const cachePath = (name: string): string => path.join(rigCacheDir(), '..', name);

/** What was last written under the name, or the other when there is nothing that can be read. */
export function readCached<T>(name: string, otherwise: T): T {
  try {
    return JSON.parse(readFileSync(cachePath(name), 'utf8')) as T;
  } catch {
    return otherwise;
  }
}

export function writeCached(name: string, value: unknown): void {
  mkdirSync(path.dirname(cachePath(name)), { recursive: true });
  writeFileSync(cachePath(name), JSON.stringify(value, null, 1));
}
