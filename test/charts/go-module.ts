import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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

/** The folder of a chart in a module. Some projects write Chart.yaml only when they release: theirs is assembled in a folder of its own. */
export function chartFolder(dir: string): string {
  const unfinished = path.join(dir, 'Chart.template.yaml');
  if (existsSync(path.join(dir, 'Chart.yaml')) || !existsSync(unfinished)) return dir;
  const copy = path.join(mkdtempSync(path.join(tmpdir(), 'drover-chart-')), path.basename(dir));
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const from = path.join(dir, name);
    if (!statSync(from).isFile()) continue;
    const to = path.join(copy, name.replace(/^Chart\.template\.yaml$/, 'Chart.yaml'));
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(to, readFileSync(from));
  }
  return copy;
}
