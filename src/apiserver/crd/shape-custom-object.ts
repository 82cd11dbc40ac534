import type { KubeObject } from '../../api/object.ts';
import { cloneJson, isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { structByName } from '../facts/facts.ts';
import { shapeObject } from '../schema/shape.ts';
import { fieldOf, isEmbedded, itemsOf, preservesUnknown, propertyOf, valuesOf, type SchemaProps } from './schema-props.ts';

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);
const objectMetaName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/**
 * A copy of the object without what its schema does not know: unknown fields, and nulls where neither null nor a default is allowed.
 * Metadata, of embedded resources too, gets the shape of ObjectMeta. `problems` collects `unknown field "spec.foo"` in the order
 * of the real server. Throws an Error with its message when metadata or type have the wrong form.
 */
export function shapeCustomObject(body: KubeObject, schema: SchemaProps, problems: string[]): KubeObject {
  const unknown: string[] = [];
  const inMetadata: string[] = [];
  const shaped = shapeMembers(body as unknown as JsonObject, schema, { path: '', isResource: true, unknown, inMetadata });
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

function shapeValue(value: Json, schema: SchemaProps | undefined, place: Place): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return shapeMembers(value, schema, { ...place, isResource: schema !== undefined && isEmbedded(schema) });
  const items = schema && itemsOf(schema);
  return value.map((item, i) => shapeItem(item, schema, items, { ...place, path: `${place.path}[${i}]` }));
}

function shapeItem(item: Json, schema: SchemaProps | undefined, items: SchemaProps | undefined, place: Place): Json {
  if (!schema || !preservesUnknown(schema)) return shapeValue(item, items, place);
  return items ? keepUnknown(item, items, place) : cloneJson(item);
}

/** Inside a list that preserves unknown fields its items do too. */
function keepUnknown(value: Json, schema: SchemaProps, place: Place): Json {
  return shapeValue(value, preservesUnknown(schema) ? schema : { ...schema, 'x-kubernetes-preserve-unknown-fields': true }, place);
}

function shapeMembers(object: JsonObject, schema: SchemaProps | undefined, place: Place): JsonObject {
  const shaped: JsonObject = {};
  const keepsUnknown = schema !== undefined && preservesUnknown(schema);
  for (const key in object) {
    const value = object[key]!;
    if (place.isResource && metaFields.has(key)) {
      const kept = shapeMetaField(key, value, schema, place);
      if (kept !== undefined) put(shaped, key, kept);
      continue;
    }
    const path = place.path === '' ? key : `${place.path}.${key}`;
    const property = propertyOf(schema, key);
    const isDeclared = property !== undefined || schema?.additionalProperties !== undefined;
    if (!isDeclared && !keepsUnknown) {
      place.unknown.push(path);
      continue;
    }
    const child = fieldOf(schema, key);
    if (value === null && child && child.nullable !== true && child.default === undefined) continue;
    put(shaped, key, isDeclared ? shapeValue(value, child, { ...place, path }) : cloneJson(value));
  }
  return shaped;
}

function put(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
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

const defaultsBelow = new WeakMap<SchemaProps, boolean>();

function hasDefaults(schema: SchemaProps): boolean {
  const known = defaultsBelow.get(schema);
  if (known !== undefined) return known;
  const children = [...Object.values(schema.properties ?? {}), itemsOf(schema), valuesOf(schema)];
  const found = children.some(
    child => child !== undefined && ((child.default !== undefined && child.default !== null) || hasDefaults(child)),
  );
  defaultsBelow.set(schema, found);
  return found;
}

const isUnset = (value: Json | undefined, schema: SchemaProps): boolean =>
  value === undefined || (value === null && schema.nullable !== true);

/** Fills the schema's defaults where a value is absent, or null and may not be. In place. */
export function setSchemaDefaults(value: Json, schema: SchemaProps | undefined): void {
  if (schema === undefined || typeof value !== 'object' || value === null || !hasDefaults(schema)) return;
  const items = itemsOf(schema);
  if (Array.isArray(value)) {
    if (!items) return;
    for (let i = 0; i < value.length; i++) {
      if (value[i] === null && items.nullable !== true) value[i] = cloneJson(items.default ?? null);
      setSchemaDefaults(value[i]!, items);
    }
    return;
  }
  for (const name in schema.properties) {
    const property = schema.properties[name]!;
    if (property.default === undefined || property.default === null) continue;
    if (!Object.hasOwn(value, name) || isUnset(value[name], property)) put(value, name, cloneJson(property.default));
  }
  const values = valuesOf(schema);
  for (const name in value) {
    const property = propertyOf(schema, name);
    if (property) setSchemaDefaults(value[name]!, property);
    else if (values) {
      if (value[name] === null && values.nullable !== true) put(value, name, cloneJson(values.default ?? null));
      setSchemaDefaults(value[name]!, values);
    }
  }
}
