import { parseApiVersion } from '../../api/object.ts';
import { CommandError, exitCodes, usageError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { areFilesMeant, labelTest, readGivenObjects, type FileOptions, type GivenObject } from './given-objects.ts';
import { parseResourceArguments, type NamedObject, type ResourceArguments } from './resource-arguments.ts';

/** What the words ask for, or what the files of -f or -k name, each in the namespace that it says. */
export async function wantedObjects(
  words: readonly string[],
  options: FileOptions & { readonly namespace?: string; readonly selector?: string; readonly fieldSelector?: string },
  { verb, terminal }: { verb: 'get' | 'describe' | 'wait'; terminal: Terminal },
): Promise<ResourceArguments> {
  const { recursive = false, namespace, selector } = options;
  if (!areFilesMeant(options)) {
    if (recursive && verb !== 'wait') throw usageError('-R is for the folders of -f', `for example: drover ${verb} -R -f folder`);
    return parseResourceArguments(words, verb);
  }
  if (words.length > 0)
    throw usageError(
      'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
      'leave out the types and names, or -f',
    );
  if (options.fieldSelector !== undefined)
    throw usageError('files name objects; --field-selector chooses among all', 'leave out the selector or the files; -l chooses by labels');
  const { objects, isList } = await readGivenObjects(options, terminal);
  const matches = selector === undefined ? undefined : labelTest(selector);
  // As with kubectl: describe goes by the labels in the file, get and wait by those that the objects have.
  const chosen = matches && verb === 'describe' ? objects.filter(({ object }) => matches(object.metadata.labels)) : objects;
  const pairs = chosen.map(one => pairOf(one, namespace));
  return { by: 'name', pairs, isList, ...(matches && verb !== 'describe' && { matches }) };
}

function pairOf({ from, object }: GivenObject, asked: string | undefined): NamedObject {
  const { apiVersion, kind, metadata } = object;
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
