import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kustomize } from '../../src/render/kustomize/kustomize.ts';
import { KustomizeError } from '../../src/render/kustomize/kustomize-error.ts';
import { rigProgramPath } from '../helpers/rig.ts';
import type { OverlayCase } from './overlay-cases.ts';

/** What a build gives: its text, or why there is none. */
export interface BuildAnswer {
  readonly output?: string;
  readonly error?: string;
}

/** Runs the real program on a folder. Paths in its words begin at the root of the tree. It can ask nobody. */
export function buildReally(root: string, folder: string): BuildAnswer {
  const { status, stdout, stderr, error } = spawnSync(rigProgramPath('kustomize'), ['build', path.join(root, folder)], {
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 256 * 1024 * 1024,
    env: { PATH: '/nonexistent', HOME: '/nonexistent', HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' },
  });
  if (error) throw new Error('cannot run kustomize', { cause: error });
  if (status === 0) return { output: stdout };
  const told = stderr
    .split('\n')
    .filter(line => !line.startsWith('# Warning'))
    .join('\n');
  return {
    error: told
      .replaceAll(`${root}/`, '/')
      .replaceAll(root, '/')
      .replace(/^Error: /, '')
      .replaceAll(/ &\{0x[0-9a-f]+ (?:<nil>|0x[0-9a-f]+)\}/g, '')
      .trim(),
  };
}

/** Runs the real program on a case, in a folder of its own. */
export function buildCaseReally({ files, folder }: OverlayCase): BuildAnswer {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'drover-kustomize-')));
  try {
    for (const [name, bytes] of files) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), bytes);
    }
    return buildReally(root, folder);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export function buildOurselves({ files, folder }: Omit<OverlayCase, 'name'>): BuildAnswer {
  try {
    return { output: kustomize(files, folder) };
  } catch (error) {
    if (!(error instanceof KustomizeError)) throw error;
    return { error: error.message.trim() };
  }
}
