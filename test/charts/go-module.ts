import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A Go module that carries charts, at the version whose charts are compared. */
export interface ChartModule {
  readonly module: string;
  readonly version: string;
  readonly charts: readonly string[];
}

export function chartModules(): ChartModule[] {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, 'chart-modules.json'), 'utf8')) as ChartModule[];
}

/** The folder of a module in Go's cache, downloaded when it is not there yet. */
export function downloadModule({ module, version }: Pick<ChartModule, 'module' | 'version'>): string {
  const { stdout, error } = spawnSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    cwd: tmpdir(),
    encoding: 'utf8',
    env: { ...process.env, GOFLAGS: '-mod=mod' },
    timeout: 300_000,
  });
  if (error) throw new Error('cannot run go', { cause: error });
  const answer = JSON.parse(stdout) as { Dir?: string; Error?: string };
  if (answer.Dir === undefined) throw new Error(answer.Error?.split('\n').at(-1)?.trim() ?? 'Go gave no folder');
  return answer.Dir;
}
