import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { errorText } from '../../util/error-text.ts';
import { isJsonObject, type Json } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { DeliveryError } from './delivery-error.ts';
import { withGeneratedName } from './generated-name.ts';
import type { Member } from './member.ts';
import type { Owner } from './owner.ts';
import { findKinds } from './find-kinds.ts';
import { isList, unfoldLists } from './unfold-lists.ts';

export interface ReadManifestsOptions {
  /** Of objects that name none and whose kind has namespaces. */
  readonly namespace: string;
  /** Goes into the names of objects that ask for a generated one. */
  readonly owner?: Owner;
  readonly signal: AbortSignal;
  /** What to do with objects whose kind the member does not have: `throw` (default), or `keep` them as they are written. */
  readonly unknownKinds?: 'throw' | 'keep';
}

/** The objects of a text of YAML documents, with names and namespaces as the member will have them. */
export async function readManifests(member: Pick<Member, 'kinds'>, text: string, options: ReadManifestsOptions): Promise<KubeObject[]> {
  return placeObjects(member, parseManifests(text), options);
}

/** Objects that were given as such, made ready in the same way. */
export async function placeObjects(
  member: Pick<Member, 'kinds'>,
  objects: readonly KubeObject[],
  { namespace, owner, signal, unknownKinds = 'throw' }: ReadManifestsOptions,
): Promise<KubeObject[]> {
  const unfolded = unfoldLists(objects);
  const kinds = await findKinds(member, unfolded, signal, unknownKinds);
  return unfolded.map(obj => {
    const scope = kinds.of(obj)?.scope;
    return withGeneratedName(withNamespace(obj, scope, namespace), owner);
  });
}

function withNamespace(obj: KubeObject, scope: 'Namespaced' | 'Cluster' | undefined, fallback: string): KubeObject {
  const { namespace = '', ...metadata } = obj.metadata;
  if (scope === 'Cluster') return namespace === '' ? obj : { ...obj, metadata };
  return scope === undefined || namespace !== '' ? obj : { ...obj, metadata: { ...obj.metadata, namespace: fallback } };
}

/** The objects of a text, as they are written: lists unfolded, empty documents left out. */
export function parseManifests(text: string): KubeObject[] {
  const objects: KubeObject[] = [];
  for (const [i, document] of splitDocuments(text).entries()) {
    const where = `document ${i + 1}`;
    const value = parseDocument(document, where);
    if (value !== null)
      objects.push(
        ...unfoldLists([parseObject(value, where)]).map(obj =>
          isJsonObject(obj) ? parseObject(obj, where) : wrong(where, 'an item of the list is no object'),
        ),
      );
  }
  return objects;
}

/** At lines that begin or end a document. A document of comments and directives only is none. */
function splitDocuments(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/^(?:---|\.\.\.)(?=[ \t\r\n]|$)/m)
    .filter(document => /^[ \t]*[^ \t\r\n#%]/m.test(document));
}

function parseDocument(document: string, where: string): Json {
  try {
    return readYaml(document).value;
  } catch (error) {
    return wrong(where, errorText(error), error);
  }
}

function parseObject(value: Json, where: string): KubeObject {
  if (!isJsonObject(value)) return wrong(where, 'not an object');
  const { apiVersion, kind, metadata = null } = value;
  if (typeof kind !== 'string' || kind === '') return wrong(where, 'kind is missing');
  if (typeof apiVersion !== 'string' || apiVersion === '') return wrong(`${where}: ${kind}`, 'apiVersion is missing');
  const obj = value as unknown as KubeObject;
  if (isList(obj)) return obj;
  if (!isJsonObject(metadata)) return wrong(`${where}: ${kind}`, 'metadata is missing');
  const { name = null, generateName = null, namespace = null } = metadata;
  if (typeof name !== 'string' && name !== null) return wrong(`${where}: ${kind}`, `metadata.name must be a text, not ${String(name)}`);
  if ((name ?? '') === '' && (typeof generateName !== 'string' || generateName === '')) {
    return wrong(`${where}: ${kind}`, 'metadata.name is missing');
  }
  const who = `${where}: ${kind} "${name ?? String(generateName)}"`;
  if (typeof namespace !== 'string' && namespace !== null) return wrong(who, 'metadata.namespace must be a text');
  for (const field of ['labels', 'annotations'] as const) checkTexts(metadata[field] ?? {}, `metadata.${field}`, who);
  return obj;
}

/** As Helm: a number or a boolean as a label is a mistake that the member would tell less clearly. */
function checkTexts(values: Json, field: string, who: string): void {
  if (!isJsonObject(values)) return wrong(who, `${field} must be a map of texts`);
  for (const [key, value] of Object.entries(values)) {
    if (typeof value !== 'string' && value !== null) return wrong(who, `${field}.${key} must be a text, not ${String(value)}`);
  }
}

function wrong(where: string, what: string, cause?: unknown): never {
  throw new DeliveryError(workReasons.renderFailed, `${where}: ${what}`, { isFinal: true, cause });
}
