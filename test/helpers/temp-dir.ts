import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const kept = new Set<string>();
// Tests that kill what they started do not always dispose of it.
process.on('exit', () => {
  for (const dir of kept) rmSync(dir, { recursive: true, force: true });
});

/** A new folder, gone when it is disposed of or when the process ends. The gate has it in memory, unless it must be on the disk. */
export function tempDir(name: string, { isOnDisk = false } = {}): { readonly dir: string } & Disposable {
  const { DROVER_SCRATCH: inMemory } = process.env;
  const dir = mkdtempSync(path.join(inMemory !== undefined && !isOnDisk ? inMemory : tmpdir(), `drover-${name}-`));
  kept.add(dir);
  return {
    dir,
    [Symbol.dispose]() {
      rmSync(dir, { recursive: true, force: true });
      kept.delete(dir);
    },
  };
}
