import { CommandError, usageError } from '../exit-codes.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { findResource, resourcesInCategory } from './find-resource.ts';
import { nearestType } from './nearest-type.ts';

/** What the words after `get` ask for, before it is known what a server calls it. */
export type ResourceArguments =
  | { readonly by: 'type'; readonly types: readonly string[] }
  /** `isList`: what is found is a list, also when it is one object. */
  | { readonly by: 'name'; readonly pairs: readonly NamedObject[]; readonly isList?: boolean; readonly matches?: LabelTest };

/** Which of the objects that are named are meant, by the labels that they have. */
export type LabelTest = (labels: Readonly<Record<string, string>> | undefined) => boolean;

export interface NamedObject {
  readonly type: string;
  readonly name: string;
  /** The one that was asked for when absent. */
  readonly namespace?: string;
  /** Where it is named, when that was in a file. */
  readonly file?: { readonly from: string; readonly apiVersion: string; readonly kind: string };
}

/** Reads `TYPE[,TYPE…] [NAME…]` or `TYPE/NAME…` as kubectl does, behind a verb. */
export function parseResourceArguments(words: readonly string[], verb: keyof typeof examples = 'get'): ResourceArguments {
  const missing = () =>
    usageError(
      `you must specify the type of resource to ${verb === 'wait' ? 'wait for' : verb}`,
      `for example: drover ${verb} ${examples[verb]}`,
    );
  if (words.length === 0) throw missing();
  const withSlash = words.filter(word => word.includes('/'));
  if (withSlash.length > 0 && withSlash.length < words.length)
    throw usageError(
      'there is no need to specify a resource type as a separate argument when passing arguments in resource/name form',
      'write TYPE/NAME for each, or one TYPE and its names',
    );
  if (withSlash.length > 0) return { by: 'name', pairs: words.map(parsePair) };
  const [first = '', ...names] = words;
  const types = splitTypes(first);
  if (types.length === 0) throw missing();
  if (names.length === 0) return { by: 'type', types };
  return { by: 'name', pairs: types.flatMap(type => names.map(name => ({ type, name }))) };
}

const examples = { get: 'clusters', describe: 'cluster east', wait: 'clusters --all --for=condition=Ready' } as const;

function parsePair(word: string): { type: string; name: string } {
  const [type = '', name = '', ...rest] = word.split('/');
  if (rest.length > 0)
    throw usageError(
      'arguments in resource/name form may not have more than one slash',
      'write TYPE/NAME; -n names a namespace, -C a member',
    );
  if (type === '' || name === '' || splitTypes(type).length !== 1)
    throw usageError('arguments in resource/name form must have a single resource and name');
  return { type, name };
}

const splitTypes = (word: string) => [...new Set(word.split(',').filter(type => type !== ''))];

/** One request for a list, or for objects by name. */
export interface ResourceRequest {
  readonly resource: ApiResource;
  /** All of them when absent. */
  readonly names?: readonly Pick<NamedObject, 'name' | 'namespace' | 'file'>[];
}

/** Turns words into what a server serves. Throws when it does not serve one of them. */
export function resolveRequests(all: readonly ApiResource[], wanted: ResourceArguments): ResourceRequest[] {
  if (wanted.by === 'type')
    return wanted.types.flatMap(type => {
      const members = resourcesInCategory(all, type);
      return members.length > 0 ? members.map(resource => ({ resource })) : [{ resource: resolve(all, { type }) }];
    });
  const requests: { resource: ApiResource; names: NamedObject[] }[] = [];
  for (const pair of wanted.pairs) {
    const resource = resolve(all, pair);
    const last = requests.at(-1);
    if (last?.resource === resource) last.names.push(pair);
    else requests.push({ resource, names: [pair] });
  }
  return requests;
}

function resolve(all: readonly ApiResource[], { type, file }: Pick<NamedObject, 'type' | 'file'>): ApiResource {
  const found = findResource(all, type);
  if (!found)
    throw new UnknownTypeError(
      type,
      nearestType(all, type),
      file && `no matches for kind "${file.kind}" in version "${file.apiVersion}" from "${file.from}"`,
    );
  return found;
}

/** The server may have learned the type since it was last asked. */
export class UnknownTypeError extends CommandError {
  constructor(type: string, nearest?: string, words = `the server doesn't have a resource type ${JSON.stringify(type)}`) {
    const meant = nearest === undefined ? '' : `did you mean ${JSON.stringify(nearest)}? `;
    super(words, { hint: `${meant}"kubectl api-resources" lists the types that it has` });
  }
}
