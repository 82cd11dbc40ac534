import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupVersionKind } from '../../api/object.ts';

/** The fixtures that k8s.io/api ships for its stable kinds, read from the module cache. For tests; undefined where Go is missing. */
export function apiFixtures(extension: 'json' | 'pb'): { file: string; gvk: GroupVersionKind }[] | undefined {
  let dir: string;
  try {
    const cwd = join(import.meta.dirname, '../../../test/rig/kubernetes');
    const module = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/api'], { cwd, encoding: 'utf8', stdio: 'pipe' });
    dir = join(module.trim(), 'testdata/HEAD');
  } catch {
    return undefined;
  }
  return readdirSync(dir).flatMap(name => {
    const [, group, version, kind] = new RegExp(`^(.+)\\.(v[0-9]+)\\.(\\w+)\\.${extension}$`).exec(name) ?? [];
    if (!group || !version || !kind || group === 'apidiscovery.k8s.io') return [];
    return [{ file: join(dir, name), gvk: { group: group === 'core' ? '' : group, version, kind } }];
  });
}
