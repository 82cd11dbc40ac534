import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../util/write-file-atomic.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { makeFolder } from '../../util/make-folder.ts';

const freshForMs = 10 * 60_000;

export interface DiscoveryCache {
  /** What the server said in the last ten minutes, or undefined. */
  read(): ApiResource[] | undefined;
  write(resources: readonly ApiResource[]): void;
}

/** Remembers on disk what a server serves. A cache that cannot be read or written is as good as none; several processes may share it. */
export function discoveryCache(server: string, env: Readonly<Record<string, string | undefined>>): DiscoveryCache {
  const root = env['DROVER_CACHE_DIR'] ?? join(env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache'), 'drover');
  const file = join(root, 'discovery', `${server.replace(/^https?:\/\//, '').replaceAll(/[^A-Za-z0-9.-]/g, '_')}.json`);
  return {
    read() {
      try {
        if (Date.now() - statSync(file).mtimeMs > freshForMs) return undefined;
        return parseResources(readFileSync(file, 'utf8'));
      } catch {
        return undefined;
      }
    },
    write(resources) {
      try {
        makeFolder(dirname(file));
        writeFileAtomic(file, JSON.stringify({ format, resources }), 0o600);
      } catch {
        // The next command asks the server again.
      }
    },
  };
}

/** Changes with the shape of what is kept, so that no version reads what another wrote. */
const format = 1;

function parseResources(text: string): ApiResource[] | undefined {
  const kept = JSON.parse(text) as { format?: unknown; resources?: ApiResource[] };
  return kept.format === format && Array.isArray(kept.resources) ? kept.resources : undefined;
}
