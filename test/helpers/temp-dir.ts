import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const kept = new Set<string>();
// Tests that kill what they started do not always dispose of it.
process.on('exit', () => {
  for (const dir of kept) rmSync(dir, { recursive: true, force: true });
});

/** A new folder under the system's temporary one, gone when it is disposed of or when the process ends. */
export function tempDir(name: string): { readonly dir: string } & Disposable {
  const dir = mkdtempSync(path.join(tmpdir(), `drover-${name}-`));
  kept.add(dir);
  return {
    dir,
    [Symbol.dispose]() {
      rmSync(dir, { recursive: true, force: true });
      kept.delete(dir);
    },
  };
}
