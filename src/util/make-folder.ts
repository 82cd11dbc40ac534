import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** As `mkdir -p`, for its owner only. Node's own never comes back where no folder can be made in one that is there, as in /proc. */
export function makeFolder(path: string): void {
  const full = resolve(path);
  try {
    mkdirSync(full, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(full).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(full))) throw error;
    makeFolder(dirname(full));
    makeFolder(full);
  }
}
