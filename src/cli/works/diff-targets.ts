import { Work } from '../../api/work.ts';
import { ownerKinds } from '../../dialects/k0rdent/previews/owners.ts';
import { usageError } from '../exit-codes.ts';
import { areFilesMeant, labelTest, readGivenObjects, type FileOptions, type GivenObject } from '../resources/given-objects.ts';
import { parseOwner, type NamedOwner } from '../services/owner-argument.ts';
import type { Terminal } from '../terminal.ts';
import { orDiffFails } from './diff-failure.ts';
import { givenObject, isOfKind } from './given-object.ts';
import { isWorkType, parseOnlyWork } from './work-argument.ts';

/** A Work, or an owner of services, whose changes are wanted. */
export interface DiffTarget {
  /** Of an owner. */
  readonly owner?: NamedOwner['kind'];
  readonly name: string;
  /** As it is to be; as it is on the hub when absent. */
  readonly given?: GivenObject;
  readonly isOneOfSeveral?: boolean;
}

export interface DiffTargets {
  readonly targets: readonly DiffTarget[];
  readonly notes: readonly string[];
}

/** What the words name, or everything in the files that is delivered to members. */
export async function diffTargets(
  words: readonly string[],
  options: FileOptions & { readonly selector?: string },
  terminal: Terminal,
): Promise<DiffTargets> {
  const { selector } = options;
  const areFiles = areFilesMeant(options);
  if (!areFiles && (selector !== undefined || options.recursive))
    throw usageError('-l and -R are for the files of -f', 'for example: drover diff -f folder -l app=web');
  if (words.length === 0 && !areFiles)
    throw usageError('which Work is meant is not said', 'for example: work/web -C east, mcs/web, or -f FILE');
  const named = words.length > 0 ? namedTarget(words) : undefined;
  const matches = selector === undefined ? () => true : labelTest(selector);
  const { objects } = areFiles
    ? await orDiffFails('cannot read the objects as they are to be', terminal, () => readGivenObjects(options, terminal))
    : { objects: [] };
  const given = objects.filter(({ object }) => matches(object.metadata.labels));
  if (!named) return targetsIn(given);
  if (!areFiles) return { targets: [named], notes: [] };
  return { targets: [{ ...named, given: givenObject(given, named.owner ?? Work, named.name) }], notes: [] };
}

function namedTarget(words: readonly string[]): DiffTarget {
  const owner = parseOwner(words);
  if (owner) return { owner: owner.kind, name: owner.name };
  const [type = '', name] = (words[0] ?? '').split('/');
  if (name !== undefined && !isWorkType(type))
    throw usageError(
      `there is no telling what ${JSON.stringify(words[0])} would change`,
      'write work/NAME or mcs/NAME; "drover kubectl CLUSTER -- diff -f FILE" compares any object',
    );
  return { name: parseOnlyWork(words) };
}

function targetsIn(given: readonly GivenObject[]): DiffTargets {
  const targets: DiffTarget[] = [];
  const notes: string[] = [];
  for (const one of given) {
    const { kind, metadata } = one.object;
    const owner = ownerKinds.find(kindOfOwner => isOfKind(one, kindOfOwner));
    if (owner || isOfKind(one, Work))
      targets.push({ ...(owner && { owner }), name: metadata.name ?? '', given: one, isOneOfSeveral: true });
    else notes.push(`${kind} ${JSON.stringify(metadata.name ?? '')} is not compared: it is not delivered to members`);
  }
  if (targets.length === 0 && notes.length > 0)
    throw usageError(
      'the files have no Work and no owner of services',
      '"drover kubectl CLUSTER -- diff -f FILE" compares any object of a member, "kubectl diff" of the hub',
    );
  return { targets, notes };
}
