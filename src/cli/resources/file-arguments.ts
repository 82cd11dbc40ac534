import type { Command } from 'commander';
import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import { parseManifests } from '../../core/delivery/read-manifests.ts';
import { CommandError, exitCodes, usageError } from '../exit-codes.ts';
import { collectList } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { readManifestTexts, type ManifestText } from './manifest-texts.ts';
import { parseResourceArguments, type NamedObject, type ResourceArguments } from './resource-arguments.ts';

export interface FileOptions {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
}

export function addFileOptions(command: Command): Command {
  return command
    .option('-f, --filename <files>', 'the objects that are in files, folders, at URLs, or - for standard input', collectList, [])
    .option('-R, --recursive', 'also the folders in the folders of -f');
}

/** What the words ask for, or what the files of -f name, each in the namespace that it says. */
export async function wantedObjects(
  words: readonly string[],
  options: FileOptions & { readonly namespace?: string; readonly selector?: string; readonly fieldSelector?: string },
  { verb, terminal }: { verb: 'get' | 'describe' | 'wait'; terminal: Terminal },
): Promise<ResourceArguments> {
  const { filename, recursive = false, namespace } = options;
  if (filename.length === 0) {
    if (recursive) throw usageError('-R is for the folders of -f', `for example: drover ${verb} -R -f folder`);
    return parseResourceArguments(words, verb);
  }
  if (words.length > 0)
    throw usageError(
      'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
      'leave out the types and names, or -f',
    );
  if (options.selector !== undefined || options.fieldSelector !== undefined)
    throw usageError('-f names objects; a selector chooses among all', 'leave out the selector or -f');
  const texts = await readManifestTexts(filename, { isRecursive: recursive, env: terminal.env, signal: terminal.signal });
  const pairs = texts.flatMap(text => objectsIn(text).map(object => pairOf(object, text.from, namespace)));
  return { by: 'name', pairs, isList: texts.length > 1 || filename.includes('-') };
}

function objectsIn({ from, text }: ManifestText): KubeObject[] {
  try {
    return parseManifests(text);
  } catch (cause) {
    throw new CommandError(`error parsing ${from}`, { cause, hint: 'it must hold manifests of Kubernetes, in YAML or JSON' });
  }
}

function pairOf({ apiVersion, kind, metadata }: KubeObject, from: string, asked: string | undefined): NamedObject {
  const { name = '', namespace } = metadata;
  const { group, version } = parseApiVersion(apiVersion);
  if (name === '')
    throw new CommandError(`${from}: resource name may not be empty`, { hint: `a ${kind} with generateName cannot be found again` });
  if (asked !== undefined && namespace !== undefined && namespace !== '' && namespace !== asked)
    throw new CommandError(
      `the namespace from the provided object ${JSON.stringify(namespace)} does not match the namespace ${JSON.stringify(asked)}. You must pass '--namespace=${namespace}' to perform this operation.`,
      { exitCode: exitCodes.error, hint: 'without -n, each object is looked for in the namespace that it names' },
    );
  return { type: `${kind}.${version}.${group}`, name, file: { from, apiVersion, kind }, ...(namespace && { namespace }) };
}
