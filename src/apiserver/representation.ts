import { apiVersionOf, type KubeObject } from '../api/object.ts';
import { badRequest, StatusError } from '../api/status.ts';
import type { Entry } from '../store/entry.ts';
import { goQuote } from '../util/go-quote.ts';
import { printJson } from '../util/json.ts';
import { internalTypeName } from './go-type-name.ts';
import type { Resource } from './resource.ts';
import { partialObjectMetadata, tableOf, type IncludeObject, type Table } from './table/table.ts';

type MetaVersion = 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';

/** The form in which a client wants objects. Whether it fits is known only when there is something to show. */
export type Form =
  | { readonly as: 'object' }
  | { readonly as: 'partial'; readonly apiVersion: MetaVersion; readonly ofList: boolean }
  | { readonly as: 'table'; readonly apiVersion: MetaVersion; readonly includeObject: string; readonly noHeaders?: boolean };

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

const plainEntries = new WeakMap<Resource, WeakMap<Entry, boolean>>();

/** True when the stored bytes are what this version of the resource shows. */
export function isPlain(resource: Resource, entry: Entry): boolean {
  if (!hasPrefix(resource, entry)) return false;
  if (!resource.isCustom) return true;
  // A schema may drop and fill in what was stored under an older one. A definition that changes makes new resources.
  let known = plainEntries.get(resource);
  if (!known) plainEntries.set(resource, (known = new WeakMap()));
  let plain = known.get(entry);
  if (plain === undefined) known.set(entry, (plain = resource.codec.fromStorage(entry.obj) === entry.obj));
  return plain;
}

function hasPrefix(resource: Resource, entry: Entry): boolean {
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

/** Items of built-in lists do not repeat their type; items of custom resource lists do. */
export function withoutType(resource: Resource, obj: KubeObject): object {
  if (resource.isCustom) return obj;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = obj;
  return rest;
}

/** A list in any form, as an object. */
export async function listObject(resource: Resource, entries: readonly Entry[], meta: ListMeta, form: Form, now: Date): Promise<object> {
  const objects: KubeObject[] = [];
  for (const entry of entries) objects.push(await objectOf(resource, entry));
  if (form.as === 'table') return inTable(resource, objects, meta, form, now);
  if (form.as === 'partial') {
    if (!form.ofList) {
      throw notThatForm(`you requested PartialObjectMetadata, but the requested object is a list (*${internalTypeName(resource, 'List')})`);
    }
    const items = objects.map(obj => ({ ...partialObjectMetadata(obj), apiVersion: form.apiVersion }));
    return { kind: 'PartialObjectMetadataList', apiVersion: form.apiVersion, metadata: meta, items };
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
    return inTable(resource, [obj], { resourceVersion }, form, now);
  }
  if (form.as === 'object') return obj;
  if (form.ofList) {
    throw notThatForm(`you requested PartialObjectMetadataList, but the requested object is not a list (*${internalTypeName(resource)})`);
  }
  return { ...partialObjectMetadata(obj), apiVersion: form.apiVersion };
}

function inTable(resource: Resource, objects: readonly KubeObject[], listMeta: ListMeta, form: Form & { as: 'table' }, now: Date): object {
  const { apiVersion, includeObject, noHeaders = false } = form;
  if (!isIncludeObject(includeObject)) {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${goQuote(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  const table = tableOf(resource, objects, { includeObject: includeObject || 'Metadata', listMeta, now, noHeaders });
  return apiVersion === 'meta.k8s.io/v1' ? table : inOldVersion(table, apiVersion);
}

function inOldVersion(table: Table, apiVersion: MetaVersion): object {
  const rows = table.rows.map(row =>
    row.object?.kind === 'PartialObjectMetadata' ? { ...row, object: { ...row.object, apiVersion } } : row,
  );
  return { ...table, apiVersion, rows };
}

function isIncludeObject(text: string): text is IncludeObject | '' {
  return text === '' || text === 'None' || text === 'Metadata' || text === 'Object';
}

const notThatForm = (message: string) => new StatusError(406, 'NotAcceptable', message);
