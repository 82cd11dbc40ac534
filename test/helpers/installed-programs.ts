import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot, rigProgramPath } from './rig.ts';

export interface InstallOptions {
  /** Programs of the rig that are there too. */
  readonly rig: readonly string[];
  /** Where `drover up` listens when it is not told: others on this machine may use the usual address. */
  readonly listen?: string;
}

/** A folder for PATH with our programs as an installation has them, under the names that kubectl looks for. Answers the folder. */
export function installPrograms(dir: string, { rig, listen }: InstallOptions): string {
  const bin = path.join(dir, 'bin');
  mkdirSync(bin);
  for (const name of rig) symlinkSync(rigProgramPath(name), path.join(bin, name));
  const script = (name: string, ...lines: string[]) => {
    writeFileSync(path.join(bin, name), ['#!/bin/bash', ...lines, ''].join('\n'));
    chmodSync(path.join(bin, name), 0o755);
  };
  const node = path.join(repositoryRoot, 'node_modules/.bin/node');
  const run = (name: string) => `exec "${node}" "${repositoryRoot}/bin/${name}.js" "$@"`;
  for (const name of ['kubectl-drover', 'kubectl_complete-drover']) script(name, run(name));
  script('drover', ...(listen ? [`[[ $1 == up && "$*" != *--listen* ]] && set -- "$@" --listen ${listen}`] : []), run('drover'));
  script('npx', 'exec "$@"');
  return bin;
}
