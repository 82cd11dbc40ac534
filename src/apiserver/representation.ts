import { apiVersionOf, type KubeObject } from '../api/object.ts';
import { typePrefixLength, type Entry } from '../store/entry.ts';
import { printJson } from '../util/json.ts';
import type { Resource } from './resource.ts';
import { partialObjectMetadata, tableOf, type IncludeObject } from './table/table.ts';

/** The form in which a client wants objects. */
export type Form = { readonly as: 'object' } | { readonly as: 'partial' } | { readonly as: 'table'; readonly includeObject: IncludeObject };

export const plainForm: Form = { as: 'object' };

/** The object in the version of the resource. */
export function objectOf(resource: Resource, entry: Entry): KubeObject | Promise<KubeObject> {
  return resource.codec.isStorageVersion(entry.obj) && !resource.isCustom ? entry.obj : resource.codec.fromStorage(entry.obj);
}

/** The bytes of one object as a watcher or a plain get receives it. */
export async function bytesOf(resource: Resource, entry: Entry): Promise<Buffer> {
  return isPlain(resource, entry) ? entry.bytes : Buffer.from(printJson(await objectOf(resource, entry)));
}

const plainPrefixes = new WeakMap<Resource, Buffer>();

/** True when the stored bytes are what this version of the resource shows. */
export function isPlain(resource: Resource, entry: Entry): boolean {
  if (resource.isCustom) return false;
  let prefix = plainPrefixes.get(resource);
  if (!prefix) {
    prefix = Buffer.from(`{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},`);
    plainPrefixes.set(resource, prefix);
  }
  return entry.bytes.length > prefix.length && entry.bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}

export interface ListMeta {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

const comma = Buffer.from(',');
const brace = Buffer.from('{');
const tail = Buffer.from(']}\n');

/** The body of a list in pieces: the items are the stored bytes, joined and never parsed. */
export async function listBody(resource: Resource, entries: readonly Entry[], meta: ListMeta): Promise<Buffer[]> {
  const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},"metadata":${printJson(meta)},"items":[`;
  const parts: Buffer[] = [Buffer.from(head)];
  const skip = typePrefixLength(resource.kind, apiVersionOf(resource));
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!;
    if (i > 0) parts.push(comma);
    if (isPlain(resource, entry)) parts.push(brace, entry.bytes.subarray(skip));
    else parts.push(Buffer.from(printJson(withoutType(resource, await objectOf(resource, entry)))));
  }
  parts.push(tail);
  return parts;
}

/** Items of built-in lists do not repeat their type; items of custom resource lists do. */
function withoutType(resource: Resource, obj: KubeObject): object {
  if (resource.isCustom) return obj;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = obj;
  return rest;
}

/** A list in any form, as an object. */
export async function listObject(resource: Resource, entries: readonly Entry[], meta: ListMeta, form: Form, now: Date): Promise<object> {
  const objects: KubeObject[] = [];
  for (const entry of entries) objects.push(await objectOf(resource, entry));
  if (form.as === 'table') return tableOf(resource, objects, { includeObject: form.includeObject, listMeta: meta, now });
  if (form.as === 'partial') {
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: meta, items: objects.map(partialObjectMetadata) };
  }
  return {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata: meta,
    items: objects.map(obj => withoutType(resource, obj)),
  };
}

/** One object in any form. */
export function oneObject(resource: Resource, obj: KubeObject, form: Form, now: Date): object {
  if (form.as === 'table') {
    const { resourceVersion = '' } = obj.metadata;
    return tableOf(resource, [obj], { includeObject: form.includeObject, listMeta: { resourceVersion }, now });
  }
  return form.as === 'partial' ? partialObjectMetadata(obj) : obj;
}
