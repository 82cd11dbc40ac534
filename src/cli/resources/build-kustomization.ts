import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { KustomizeError } from '../../render/kustomize/kustomize-error.ts';
import { RemoteError, type Tree } from '../../render/kustomize/loader.ts';
import { CommandError } from '../exit-codes.ts';

/** The manifests of the kustomization in a folder of this machine, built as kustomize does. */
export async function buildKustomization(folder: string): Promise<string> {
  // Only who asks for it pays for the facts that it needs.
  const { kustomize } = await import('../../render/kustomize/kustomize.ts');
  try {
    return kustomize(diskTree, resolve(folder));
  } catch (cause) {
    const hint =
      cause instanceof RemoteError
        ? 'fetch it first, and name the folder; or: kubectl kustomize FOLDER | drover … -f -'
        : '-k takes a folder with a kustomization.yaml';
    throw new CommandError(`cannot build the kustomization in ${JSON.stringify(folder)}`, { cause, hint });
  }
}

/** The files of this machine, under their real names: a link does not lead out of a kustomization. */
const diskTree: Tree = {
  read: (full: string) => (statSync(full, { throwIfNoEntry: false })?.isFile() ? readFileSync(full) : undefined),
  isFolder: (full: string) => statSync(full, { throwIfNoEntry: false })?.isDirectory() ?? false,
  expect(full: string): string {
    try {
      return realpathSync(full);
    } catch {
      throw new KustomizeError(`evalsymlink failure on '${full}' : lstat ${firstMissing(full)}: no such file or directory`);
    }
  },
};

function firstMissing(full: string): string {
  const parts = full.split('/').slice(1);
  const paths = parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`);
  return paths.find(path => !lstatSync(path, { throwIfNoEntry: false })) ?? full;
}
