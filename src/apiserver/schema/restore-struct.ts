import type { Json, JsonObject } from '../../util/json.ts';
import { isJsonObject } from '../../util/json.ts';
import { GoJsonError } from './go-json-error.ts';
import type { GoScalar, GoStruct, GoType } from './go-type.ts';
import { ShapeContext } from './shape-context.ts';
import { scalarReader } from './shape-scalar.ts';

/** Why a decoded document cannot become a struct, in the words of the real server's converter. */
export class RestoreError extends Error {}

/**
 * The document as Go's converter from unstructured data takes it, which differs from its JSON decoder: integers that are too large wrap
 * around, and faults are said in other words. Unknown fields stay.
 */
export function restoreStruct(struct: GoStruct, value: Json): JsonObject {
  if (!isJsonObject(value)) throw new RestoreError(`cannot restore struct from: ${kindOf(value)}`);
  const restored: JsonObject = { ...value };
  for (const { name, type } of struct.fields) {
    const field = value[name];
    if (field !== undefined && field !== null) restored[name] = restore(type, field);
  }
  return restored;
}

function restore(type: GoType, value: Json): Json {
  if (value === null) return null;
  switch (type.type) {
    case 'struct':
      return restoreStruct(type, value);
    case 'list':
      if (!Array.isArray(value)) throw new RestoreError(`cannot restore slice from ${kindOf(value)}`);
      return value.map(item => restore(type.element, item));
    case 'map':
      if (!isJsonObject(value)) throw new RestoreError(`cannot restore map from ${kindOf(value)}`);
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, restore(type.element, item)]));
    case 'scalar':
      return restoreScalar(type, value);
  }
}

function restoreScalar(type: GoScalar, value: Json): Json {
  const { scalar, goName } = type;
  const kind = kindOf(value);
  switch (scalar) {
    case 'string':
      if (kind === 'string') return value;
      // Go can make a string of an integer, and so says that it will not.
      throw new RestoreError(kind === 'int64' ? `cannot convert int64 to ${goName}` : 'unrecognized type: string');
    case 'bool':
      if (kind !== 'bool') throw new RestoreError('unrecognized type: bool');
      return value;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      if (kind === 'float64') throw new RestoreError(`cannot convert float64 to ${goName}`);
      if (kind !== 'int64') throw new RestoreError(`unrecognized type: ${scalar}`);
      return wrap(scalar, BigInt(value as number | bigint));
    case 'float32':
    case 'float64':
      if (kind !== 'int64' && kind !== 'float64') throw new RestoreError(`unrecognized type: ${scalar}`);
      return value;
    case 'bytes':
      if (kind !== 'string' && kind !== 'slice') throw new RestoreError(`cannot restore slice from ${kind}`);
      return readWith(type, value, 'error decoding from json: ');
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStrings':
      return value;
    default:
      return readWith(type, value, '');
  }
}

/** Types with a JSON form of their own are decoded from it. */
function readWith(type: GoScalar, value: Json, prefix: string): Json {
  const ctx = new ShapeContext([]);
  try {
    const read = scalarReader(type)(value, ctx);
    ctx.throwFirstError();
    return read ?? value;
  } catch (error) {
    if (error instanceof GoJsonError) throw new RestoreError(`${prefix}${error.message}`);
    throw error;
  }
}

function wrap(scalar: 'int32' | 'int64' | 'uint32' | 'uint64', value: bigint): Json {
  const bits = scalar.endsWith('32') ? 32 : 64;
  const wrapped = scalar.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
  return Number.isSafeInteger(Number(wrapped)) ? Number(wrapped) : wrapped;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'bool' : 'map';
}
