import type { ListMerge, MergeType, ObjectMerge } from '../schema/merge-type.ts';
import { isEmbedded, isIntOrString, itemsOf, preservesUnknown, propertyOf, valuesOf, type SchemaProps } from './schema-props.ts';

const text: MergeType = { type: 'scalar', scalar: 'string' };
const number: MergeType = { type: 'scalar', scalar: 'number' };
const boolean: MergeType = { type: 'scalar', scalar: 'boolean' };
const anyScalar: MergeType = { type: 'scalar', scalar: 'any' };
const untyped: MergeType = { type: 'untyped' };

const struct = (fields: Readonly<Record<string, MergeType>>, atomic = false): ObjectMerge => ({
  type: 'object',
  atomic,
  open: false,
  field: name => (Object.hasOwn(fields, name) ? fields[name] : undefined),
});
const mapOf = (element: MergeType, atomic = false): ObjectMerge => ({ type: 'object', atomic, open: true, field: () => element });
const listOf = (element: MergeType, listType: 'atomic' | 'set' | 'map', keys: readonly string[] = [], keyDefaults = {}): ListMerge => ({
  type: 'list',
  listType,
  keys,
  keyDefaults,
  element,
});

/** How metadata merges, in custom resources as in all others. */
const objectMetaMergeType: MergeType = struct({
  ...Object.fromEntries(
    ['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'].map(name => [
      name,
      text,
    ]),
  ),
  generation: number,
  deletionGracePeriodSeconds: number,
  labels: mapOf(text),
  annotations: mapOf(text),
  ownerReferences: {
    ...listOf(
      struct({ apiVersion: text, kind: text, name: text, uid: text, controller: boolean, blockOwnerDeletion: boolean }, true),
      'map',
      ['uid'],
    ),
    patchStrategy: ['merge'],
    patchMergeKey: 'uid',
  },
  finalizers: { ...listOf(text, 'set'), patchStrategy: ['merge'] },
  managedFields: listOf(untyped, 'atomic'),
});

const known = new WeakMap<SchemaProps, MergeType>();

/** How objects of a schema merge. The root is a resource: it has apiVersion, kind and metadata. */
export function mergeTypeOfSchema(schema: SchemaProps): MergeType {
  return resourceType(schema);
}

function resourceType(schema: SchemaProps): MergeType {
  const open = preservesUnknown(schema);
  return {
    type: 'object',
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    open,
    field(name) {
      if (name === 'metadata') return objectMetaMergeType;
      if (name === 'apiVersion' || name === 'kind') return text;
      const property = propertyOf(schema, name);
      if (property) return typeOf(property);
      return open ? untyped : undefined;
    },
  };
}

function typeOf(schema: SchemaProps): MergeType {
  let type = known.get(schema);
  if (!type) known.set(schema, (type = convert(schema)));
  return type;
}

function convert(schema: SchemaProps): MergeType {
  if (isIntOrString(schema)) return anyScalar;
  if (isEmbedded(schema)) return resourceType(schema);
  switch (schema.type) {
    case 'object':
      return objectType(schema);
    case 'array':
      return listType(schema);
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return number;
    case 'boolean':
      return boolean;
    default:
      return untyped;
  }
}

function objectType(schema: SchemaProps): MergeType {
  const values = valuesOf(schema);
  const open = preservesUnknown(schema) || values !== undefined || schema.additionalProperties === true;
  if (schema.properties === undefined && values === undefined && preservesUnknown(schema) && schema['x-kubernetes-map-type'] !== 'atomic')
    return untyped;
  return {
    type: 'object',
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    open,
    field(name) {
      const property = propertyOf(schema, name);
      if (property) return typeOf(property);
      if (values) return typeOf(values);
      return open ? untyped : undefined;
    },
  };
}

function listType(schema: SchemaProps): MergeType {
  const items = itemsOf(schema);
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const declared = schema['x-kubernetes-list-type'];
  const keyDefaults = Object.fromEntries(
    keys.flatMap(key => {
      const fallback = propertyOf(items, key)?.default;
      return fallback === undefined ? [] : [[key, fallback]];
    }),
  );
  return listOf(items ? typeOf(items) : untyped, declared === 'set' || declared === 'map' ? declared : 'atomic', keys, keyDefaults);
}
