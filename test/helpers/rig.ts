import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { rigPrograms, type RigProgram } from '../rig/programs.ts';

export const repositoryRoot = path.resolve(import.meta.dirname, '../..');

/** Where built programs are kept, outside the work tree so that every checkout shares them. */
export function rigCacheDir(): string {
  return process.env['DROVER_CACHE'] ?? path.join(homedir(), '.cache/drover/bin');
}

export function rigProgramNamed(name: string): RigProgram {
  const program = rigPrograms.find(p => p.name === name);
  if (!program) throw new Error(`no rig program "${name}": known are ${rigPrograms.map(p => p.name).join(', ')}`);
  return program;
}

export function rigProgramPath(name: string): string {
  const { version } = rigProgramNamed(name);
  return path.join(rigCacheDir(), `${name}@${version}`);
}

/**
 * Why the named programs cannot be run here, or undefined when they can: hand it to `skip` of node:test. In CI nothing may be skipped, so there
 * missing programs are built, and what cannot be built throws.
 */
export function missingRig(...names: string[]): string | undefined {
  const missing = names.filter(name => !existsSync(rigProgramPath(name)));
  if (missing.length === 0) return undefined;
  if (process.env['CI'] !== 'true') {
    const how = hasGo() ? 'build with: node scripts/build-rig.ts --only ' + missing.join(',') : 'Go is not installed';
    return `skipped: real programs ${missing.join(', ')} are missing (${how})`;
  }
  buildRig(missing);
  return undefined;
}

export function buildRig(names: readonly string[]): void {
  const script = path.join(repositoryRoot, 'scripts/build-rig.ts');
  const built = spawnSync(process.execPath, [script, '--only', names.join(',')], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (built.status !== 0) throw new Error(`cannot build ${names.join(', ')}: scripts/build-rig.ts ended with ${built.status}`);
}

/** Folder of a module in Go's cache, downloaded when it is not there yet. */
export function goModuleDir(rigModule: string, modulePath: string): string {
  const listed = spawnSync('go', ['list', '-m', '-f', '{{.Dir}}', modulePath], {
    cwd: path.join(repositoryRoot, 'test/rig', rigModule),
    encoding: 'utf8',
    env: { ...process.env, GOFLAGS: '-mod=mod' },
  });
  const dir = listed.stdout.trim();
  if (listed.status !== 0 || dir === '') throw new Error(`cannot find module "${modulePath}": ${listed.stderr.trim()}`);
  return dir;
}

export function hasGo(): boolean {
  return spawnSync('go', ['version']).status === 0;
}
