import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { errorText } from '../../util/error-text.ts';
import { isJsonObject, printJson, type Json } from '../../util/json.ts';
import { readDocument } from '../../yaml/read-document.ts';
import { DeliveryError } from './delivery-error.ts';
import { withGeneratedName } from './generated-name.ts';
import type { Member } from './member.ts';
import type { Owner } from './owner.ts';
import { findKinds } from './find-kinds.ts';
import { isList, itemsOf } from './unfold-lists.ts';

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
  return place(member, parseManifests(text), options);
}

/** Objects that were given as such, checked and made ready in the same way. */
export async function placeObjects(
  member: Pick<Member, 'kinds'>,
  objects: readonly unknown[],
  options: ReadManifestsOptions,
): Promise<KubeObject[]> {
  return place(
    member,
    objects.flatMap((obj, i) => parseObject(obj, `object ${i + 1}`)),
    options,
  );
}

async function place(
  member: Pick<Member, 'kinds'>,
  objects: readonly KubeObject[],
  { namespace, owner, signal, unknownKinds = 'throw' }: ReadManifestsOptions,
): Promise<KubeObject[]> {
  const kinds = await findKinds(member, objects, signal, unknownKinds);
  return objects.map(obj => withGeneratedName(withNamespace(obj, kinds.of(obj)?.scope, namespace), owner));
}

function withNamespace(obj: KubeObject, scope: 'Namespaced' | 'Cluster' | undefined, fallback: string): KubeObject {
  const { namespace = '', ...metadata } = obj.metadata;
  if (scope === 'Cluster') return namespace === '' ? obj : { ...obj, metadata };
  return scope === undefined || namespace !== '' ? obj : { ...obj, metadata: { ...obj.metadata, namespace: fallback } };
}

/** The objects of a text, as they are written: lists unfolded, empty documents left out. */
export function parseManifests(text: string): KubeObject[] {
  return splitDocuments(text).flatMap((document, i) => {
    const where = `document ${i + 1}`;
    return parseDocument(document, where).flatMap(value => (value === null ? [] : parseObject(value, where)));
  });
}

/** At lines that begin or end a document. A document of comments and directives only is none. */
function splitDocuments(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/^(?:---|\.\.\.)(?=[ \t\r\n]|$)/m)
    .filter(document => /^[ \t]*[^ \t\r\n#%]/m.test(document));
}

function parseDocument(document: string, where: string): Json[] {
  try {
    return readDocument(document);
  } catch (error) {
    return wrong(where, errorText(error), error);
  }
}

/** One object, or those of a list. */
function parseObject(value: unknown, where: string): KubeObject[] {
  if (!isJsonObject(value)) return wrong(where, 'not an object');
  const { apiVersion, kind } = value;
  if (typeof kind !== 'string' || kind === '') return wrong(where, 'kind is missing');
  if (typeof apiVersion !== 'string' || apiVersion === '') return wrong(`${where}: ${kind}`, 'apiVersion is missing');
  const obj = value as unknown as KubeObject;
  if (isList(obj)) return itemsOf(obj).flatMap((item, i) => parseObject(item, `${where}: item ${i + 1}`));
  checkMetadata(value['metadata'] ?? null, `${where}: ${kind}`);
  return [obj];
}

function checkMetadata(metadata: Json, where: string): void {
  if (!isJsonObject(metadata)) return wrong(where, 'metadata is missing');
  for (const field of ['name', 'generateName', 'namespace']) {
    const value = metadata[field] ?? '';
    if (typeof value !== 'string') return wrong(where, `metadata.${field} must be a text, not ${printJson(value)}`);
  }
  const name = metadata['name'] ?? metadata['generateName'] ?? '';
  if (name === '') return wrong(where, 'metadata.name is missing');
  for (const field of ['labels', 'annotations']) checkTexts(metadata[field] ?? {}, `metadata.${field}`, `${where} "${String(name)}"`);
}

/** As Helm: a number or a boolean as a label is a mistake that the member would tell less clearly. */
function checkTexts(values: Json, field: string, who: string): void {
  if (!isJsonObject(values)) return wrong(who, `${field} must be a map of texts`);
  for (const [key, value] of Object.entries(values)) {
    if (typeof value !== 'string' && value !== null) return wrong(who, `${field}.${key} must be a text, not ${printJson(value)}`);
  }
}

function wrong(where: string, what: string, cause?: unknown): never {
  throw new DeliveryError(workReasons.renderFailed, `${where}: ${what}`, { isFinal: true, cause });
}
