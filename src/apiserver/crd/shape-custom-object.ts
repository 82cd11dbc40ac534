import type { KubeObject } from '../../api/object.ts';
import { isJsonObject, setMember, type Json, type JsonObject } from '../../util/json.ts';
import { sharedItems } from '../../util/shared-items.ts';
import { structByName } from '../facts/facts.ts';
import { shapeObject } from '../schema/shape.ts';
import { fieldOf, isEmbedded, itemsOf, preservesUnknown, propertyOf, type SchemaProps } from './schema-props.ts';

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);
const objectMetaName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/**
 * The object without what its schema does not know: unknown fields, and nulls where neither null nor a default is allowed.
 * Metadata, of embedded resources too, gets the shape of ObjectMeta. `problems` collects `unknown field "spec.foo"` in the order
 * of the real server. Throws an Error with its message when metadata or type have the wrong form. The object and its metadata are new,
 * what lies below is shared where nothing was taken away. What is the very part of `shapedBefore`, which has been here before, is not looked at.
 */
export function shapeCustomObject(body: KubeObject, schema: SchemaProps, problems: string[], shapedBefore?: KubeObject): KubeObject {
  const unknown: string[] = [];
  const inMetadata: string[] = [];
  const place = { path: '', isResource: true, unknown, inMetadata };
  const shaped = shapeMembers(body as unknown as JsonObject, schema, place, shapedBefore as unknown as JsonObject | undefined);
  const metadata = body.metadata === undefined ? undefined : shapeMetadata(body.metadata as unknown as Json, 'metadata', problems);
  for (const path of unknown.sort()) problems.push(`unknown field "${path}"`);
  problems.push(...inMetadata.sort());
  return { apiVersion: body.apiVersion, kind: body.kind, ...shaped, ...(metadata !== undefined && { metadata }) } as unknown as KubeObject;
}

interface Place {
  readonly path: string;
  /** The root, or an embedded resource: type and metadata are known without being declared. */
  readonly isResource: boolean;
  readonly unknown: string[];
  readonly inMetadata: string[];
}

function shapeValue(value: Json, schema: SchemaProps | undefined, place: Place, before?: Json): Json {
  if (typeof value !== 'object' || value === null || value === before) return value;
  if (Array.isArray(value)) return shapeList(value, schema, place, before);
  return shapeMembers(value, schema, { ...place, isResource: schema !== undefined && isEmbedded(schema) }, before);
}

function shapeList(list: Json[], schema: SchemaProps | undefined, place: Place, before: Json | undefined): Json[] {
  const items = schema && itemsOf(schema);
  const isKnown = Array.isArray(before) ? sharedItems(before) : undefined;
  let shaped: Json[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i]!;
    if (typeof item !== 'object' || isKnown?.(item)) continue;
    const kept = shapeItem(item, schema, items, { ...place, path: `${place.path}[${i}]` });
    if (kept !== item) (shaped ??= [...list])[i] = kept;
  }
  return shaped ?? list;
}

function shapeItem(item: Json, schema: SchemaProps | undefined, items: SchemaProps | undefined, place: Place): Json {
  if (!schema || !preservesUnknown(schema)) return shapeValue(item, items, place);
  return items ? keepUnknown(item, items, place) : item;
}

/** Inside a list that preserves unknown fields its items do too. */
function keepUnknown(value: Json, schema: SchemaProps, place: Place): Json {
  return shapeValue(value, preservesUnknown(schema) ? schema : { ...schema, 'x-kubernetes-preserve-unknown-fields': true }, place);
}

function shapeMembers(object: JsonObject, schema: SchemaProps | undefined, place: Place, before?: Json): JsonObject {
  const known = isJsonObject(before) ? before : undefined;
  let changes: Map<string, Json | undefined> | undefined;
  for (const key in object) {
    const value = object[key]!;
    const isMeta = place.isResource && metaFields.has(key);
    const kept = isMeta ? shapeMetaField(key, value, schema, place) : shapeMember(key, value, schema, place, known?.[key]);
    if (kept !== value) (changes ??= new Map()).set(key, kept);
  }
  if (!changes) return object;
  const shaped: JsonObject = {};
  for (const key in object) {
    const kept = changes.has(key) ? changes.get(key) : object[key];
    if (kept !== undefined) setMember(shaped, key, kept);
  }
  return shaped;
}

/** Undefined when it is left out. */
function shapeMember(key: string, value: Json, schema: SchemaProps | undefined, place: Place, before: Json | undefined): Json | undefined {
  const child = fieldOf(schema, key);
  const isDeclared = child !== undefined || schema?.additionalProperties !== undefined;
  const path = () => (place.path === '' ? key : `${place.path}.${key}`);
  if (!isDeclared && (schema === undefined || !preservesUnknown(schema))) {
    place.unknown.push(path());
    return undefined;
  }
  if (value === null && child && child.nullable !== true && child.default === undefined) return undefined;
  return isDeclared && typeof value === 'object' ? shapeValue(value, child, { ...place, path: path() }, before) : value;
}

function shapeMetaField(key: string, value: Json, schema: SchemaProps | undefined, { path, inMetadata }: Place): Json | undefined {
  // The root's are checked by the caller, which knows how the request was addressed.
  if (path === '') return value;
  if (value === null && propertyOf(schema, key)?.nullable !== true) return undefined;
  if (key === 'metadata') return shapeMetadata(value, `${path}.metadata`, inMetadata);
  if (typeof value !== 'string') throw new Error(`${path}.${key}: Invalid value: ${JSON.stringify(value)}: must be a string`);
  return value;
}

function shapeMetadata(metadata: Json, path: string, problems: string[]): Json {
  const struct = structByName(objectMetaName);
  if (!struct) throw new Error(`"${objectMetaName}" is not in the table of facts`);
  const found: string[] = [];
  const shaped = shapeObject(struct, isJsonObject(metadata) ? metadata : (metadata as unknown as JsonObject), found);
  for (const problem of found) problems.push(problem.replace('field "', `field "${path}.`));
  return shaped;
}
