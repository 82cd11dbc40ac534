import type { Command } from 'commander';
import { parseLabelSelector } from '../../apiserver/validation/label-selector.ts';
import type { KubeObject } from '../../api/object.ts';
import { parseManifests } from '../../core/delivery/read-manifests.ts';
import { CommandError, exitCodes, usageError } from '../exit-codes.ts';
import { collectList } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { buildKustomization } from './build-kustomization.ts';
import { readManifestTexts, type ManifestText } from './manifest-texts.ts';

export interface FileOptions {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
  readonly kustomize?: string;
}

/** An object of a file, and where it came from. */
export interface GivenObject {
  readonly from: string;
  readonly object: KubeObject;
}

export interface GivenObjects {
  readonly objects: readonly GivenObject[];
  /** They are a list, also when there is one. */
  readonly isList: boolean;
}

/** kubectl has no -k for wait, which looks into all folders. */
export function addFileOptions(command: Command, what: string, { isWait = false } = {}): Command {
  command.option('-f, --filename <files>', `${what} in files, folders, at URLs, or - for standard input`, collectList, []);
  if (isWait)
    return command.option('-R, --recursive', 'also the folders in the folders of -f', true).option('--no-recursive', 'without those');
  return command
    .option('-R, --recursive', 'also the folders in the folders of -f')
    .option('-k, --kustomize <folder>', `${what} that the kustomization in a folder builds`);
}

export const areFilesMeant = ({ filename, kustomize }: FileOptions): boolean => filename.length > 0 || kustomize !== undefined;

/** What -f and -k name, in kubectl's words where that makes no sense. */
export async function readGivenObjects(options: FileOptions, { env, signal }: Terminal): Promise<GivenObjects> {
  const { filename, recursive = false, kustomize } = options;
  if (kustomize === undefined) {
    const texts = await readManifestTexts(filename, { isRecursive: recursive, env, signal });
    return { objects: texts.flatMap(objectsIn), isList: texts.length > 1 || filename.includes('-') };
  }
  if (filename.length > 0) throw usageError('only one of -f or -k can be specified', 'leave one of them out');
  if (recursive) throw usageError("the -k flag can't be used with -f or -R", 'a kustomization names its files itself');
  return { objects: objectsIn({ from: kustomize, text: await buildKustomization(kustomize) }), isList: false };
}

function objectsIn({ from, text }: ManifestText): GivenObject[] {
  try {
    return parseManifests(text).map(object => ({ from, object }));
  } catch (cause) {
    throw new CommandError(`error parsing ${from}`, { cause, hint: 'it must hold manifests of Kubernetes, in YAML or JSON' });
  }
}

/** Whether labels are chosen by the text of -l. */
export function labelTest(selector: string): (labels: Readonly<Record<string, string>> | undefined) => boolean {
  try {
    const { matches } = parseLabelSelector(selector);
    return labels => matches(labels ?? {});
  } catch (cause) {
    throw new CommandError(`cannot read selector ${JSON.stringify(selector)}`, {
      cause,
      exitCode: exitCodes.usage,
      hint: 'for example: -l app=web,tier!=db',
    });
  }
}
