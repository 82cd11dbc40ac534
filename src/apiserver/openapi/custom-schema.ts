import type { GroupVersionKind } from '../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';

const objectMeta = { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] };
const listMeta = { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' }] };

/** What the server publishes for a custom kind in OpenAPI v3: the declared schema with what every object has. */
export function publishedCustomSchema(gvk: GroupVersionKind, declared: JsonObject | undefined): JsonObject {
  const { group, version, kind } = gvk;
  const schema = declared ? completed(declared) : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    ...schema,
    type: 'object',
    properties: {
      ...(schema['properties'] as JsonObject | undefined),
      apiVersion: { type: 'string', description: 'APIVersion defines the versioned schema of this representation of an object.' },
      kind: { type: 'string', description: 'Kind is a string value representing the REST resource this object represents.' },
      metadata: { ...objectMeta, description: "Standard object's metadata." },
    },
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
  };
}

export function publishedListSchema({ group, version, kind }: GroupVersionKind, itemName: string): JsonObject {
  return {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items: { $ref: `#/components/schemas/${itemName}` } },
      kind: { type: 'string' },
      metadata: listMeta,
    },
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
  };
}

/** Where schemas lie within a schema, by keyword: one, a list, or a table of them. */
const nestedKeywords: Readonly<Record<string, 'one' | 'list' | 'table'>> = {
  items: 'one',
  not: 'one',
  additionalProperties: 'one',
  allOf: 'list',
  anyOf: 'list',
  oneOf: 'list',
  properties: 'table',
};

function mapNested(schema: JsonObject, map: (nested: JsonObject) => JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    const form = nestedKeywords[key];
    if (form === 'one' && isJsonObject(value)) out[key] = map(value);
    else if (form === 'list' && Array.isArray(value)) out[key] = value.map(item => map(item as JsonObject));
    else if (form === 'table' && isJsonObject(value)) out[key] = mapTable(value, map);
    else out[key] = value;
  }
  return out;
}

function mapTable(table: JsonObject, map: (nested: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value as JsonObject)]));
}

/** Embedded objects have what every object has; either-or scalars say so in plain OpenAPI too. */
function completed(schema: JsonObject): JsonObject {
  const out = mapNested(schema, completed);
  if (out['x-kubernetes-int-or-string'] === true && out['anyOf'] === undefined) out['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
  if (out['x-kubernetes-embedded-resource'] === true) {
    out['required'] = [...new Set([...((out['required'] as Json[] | undefined) ?? []), 'kind', 'apiVersion'])];
    out['properties'] = {
      ...(out['properties'] as JsonObject | undefined),
      apiVersion: { type: 'string', description: 'APIVersion defines the versioned schema of this representation of an object.' },
      kind: { type: 'string', description: 'Kind is a string value representing the REST resource this object represents.' },
      metadata: { ...objectMeta, description: "Standard object's metadata." },
    };
  }
  return out;
}

/** The same schema as swagger v2 can say it: old clients refuse what is nullable or open, so that is left untyped there. */
export function customSchemaV2(published: JsonObject): JsonObject {
  if (published['x-kubernetes-preserve-unknown-fields'] === true)
    return { type: 'object', 'x-kubernetes-group-version-kind': published['x-kubernetes-group-version-kind']! };
  return untypedWhereOpen(published);
}

const unspeakable = ['oneOf', 'anyOf', 'not', 'nullable', 'default'];

function untypedWhereOpen(schema: JsonObject): JsonObject {
  const reference = onlyReference(schema);
  if (reference !== undefined) return { $ref: reference };
  const out = mapNested(schema, untypedWhereOpen);
  delete out['allOf'];
  for (const key of unspeakable) delete out[key];
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['nullable'] === true || isOpen) {
    for (const key of ['items', 'properties', 'required']) delete out[key];
    delete out['type'];
  }
  if (out['type'] === 'array' && out['items'] === undefined) delete out['type'];
  withoutNullable(out, schema);
  return out;
}

function onlyReference(schema: JsonObject): string | undefined {
  const all = schema['allOf'];
  const first = Array.isArray(all) && all.length === 1 ? all[0] : schema;
  const ref = isJsonObject(first) ? first['$ref'] : undefined;
  return typeof ref === 'string' ? ref.replace('#/components/schemas/', '#/definitions/') : undefined;
}

/** What may be null cannot be required there. */
function withoutNullable(out: JsonObject, schema: JsonObject): void {
  const properties = schema['properties'];
  if (!Array.isArray(out['required']) || !isJsonObject(properties)) return;
  const kept = out['required'].filter(
    name => !(isJsonObject(properties[name as string]) && (properties[name as string] as JsonObject)['nullable'] === true),
  );
  if (kept.length > 0) out['required'] = kept;
  else delete out['required'];
}
