import { publishedDefault } from '../openapi/struct-schema.ts';
import type { GoField, GoList, GoMap, GoScalar, GoStruct, GoType } from './go-type.ts';
import type { ListMerge, MergeType, ObjectMerge, ScalarMerge } from './merge-type.ts';

const untyped: MergeType = { type: 'untyped' };
const openObject: ObjectMerge = { type: 'object', atomic: false, open: true, field: () => untyped };
const rawObject: ObjectMerge = { ...openObject, atomic: true };
const scalars: Readonly<Record<ScalarMerge['scalar'], ScalarMerge>> = {
  string: { type: 'scalar', scalar: 'string' },
  number: { type: 'scalar', scalar: 'number' },
  boolean: { type: 'scalar', scalar: 'boolean' },
  any: { type: 'scalar', scalar: 'any' },
};

const cache = new WeakMap<GoStruct, ObjectMerge>();

/** How objects of a built-in struct merge, from what its fields say about lists, maps and patches. */
export function mergeTypeOfStruct(struct: GoStruct): ObjectMerge {
  let found = cache.get(struct);
  if (!found) cache.set(struct, (found = structMerge(struct)));
  return found;
}

function structMerge(struct: GoStruct): ObjectMerge {
  const atomic = struct.mapType === 'atomic';
  if (struct.fields.length === 0) return { ...openObject, atomic };
  const fields = new Map<string, MergeType>();
  return {
    type: 'object',
    atomic,
    open: false,
    field(name) {
      const known = fields.get(name);
      if (known) return known;
      const field = struct.fieldsByName.get(name);
      if (!field) return undefined;
      const merge = fieldMerge(field);
      fields.set(name, merge);
      return merge;
    },
  };
}

function fieldMerge(field: GoField): MergeType {
  switch (field.type.type) {
    case 'list':
      return listMerge(field.type, field);
    case 'map':
    case 'struct': {
      const base = typeMerge(field.type) as ObjectMerge;
      if (!field.mapType && !field.patchStrategy) return base;
      return {
        ...base,
        ...(field.mapType && { atomic: field.mapType === 'atomic' }),
        ...(field.patchStrategy && { patchStrategy: field.patchStrategy }),
      };
    }
    case 'scalar':
      return typeMerge(field.type);
  }
}

function typeMerge(type: GoType): MergeType {
  switch (type.type) {
    case 'struct':
      return mergeTypeOfStruct(type);
    case 'list':
      return listMerge(type);
    case 'map':
      return mapMerge(type);
    case 'scalar':
      return scalarMerge(type);
  }
}

function mapMerge({ element }: GoMap): ObjectMerge {
  const merge = typeMerge(element);
  return { type: 'object', atomic: false, open: true, field: () => merge };
}

/** Where no list type is published, the way a strategic patch merges the list decides; without that it is atomic. */
function listMerge({ element }: GoList, field?: GoField): ListMerge {
  const merges = field?.patchStrategy?.includes('merge') ?? false;
  const implied = !merges ? 'atomic' : field?.patchMergeKey === undefined ? 'set' : 'map';
  const listType = field?.listType ?? implied;
  const keys = listType !== 'map' ? [] : (field?.listMapKeys ?? [field!.patchMergeKey!]);
  return {
    type: 'list',
    listType,
    keys,
    keyDefaults: element.type === 'struct' ? keyDefaults(element, keys) : {},
    element: typeMerge(element),
    ...(field?.patchStrategy && { patchStrategy: field.patchStrategy }),
    ...(field?.patchMergeKey !== undefined && { patchMergeKey: field.patchMergeKey }),
  };
}

function keyDefaults(struct: GoStruct, keys: readonly string[]): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const key of keys) {
    const field = struct.fieldsByName.get(key);
    const value = field && publishedDefault(field);
    if (value !== undefined) defaults[key] = value;
  }
  return defaults;
}

function scalarMerge({ scalar, goName }: GoScalar): MergeType {
  switch (scalar) {
    case 'bool':
      return scalars.boolean;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'float32':
    case 'float64':
      return scalars.number;
    case 'quantity':
    case 'intOrString':
      return scalars.any;
    case 'fieldsV1':
      return openObject;
    case 'raw':
      // RawExtension is published as an object that is owned as a whole, JSON as anything.
      return goName === 'runtime.RawExtension' ? rawObject : untyped;
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStrings':
      return untyped;
    default:
      return scalars.string;
  }
}
