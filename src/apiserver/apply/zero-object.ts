import type { Json, JsonObject } from '../../util/json.ts';
import type { GoField, GoStruct, ScalarName } from '../schema/go-type.ts';

const zeros = new WeakMap<GoStruct, JsonObject>();

/** What Go prints for a new object of the type: structs that are not pointers, and fields without omitempty. Do not change it. */
export function zeroObject(type: GoStruct): JsonObject {
  const known = zeros.get(type);
  if (known !== undefined) return known;
  const zero: JsonObject = {};
  for (const field of type.fields) {
    const value = zeroValue(field);
    if (value !== undefined) zero[field.name] = value;
  }
  zeros.set(type, zero);
  return zero;
}

function zeroValue({ type, isPointer, omitEmpty }: GoField): Json | undefined {
  if (type.type === 'struct' && !isPointer) return zeroObject(type);
  if (omitEmpty) return undefined;
  return isPointer || type.type !== 'scalar' ? null : zeroScalar(type.scalar);
}

function zeroScalar(scalar: ScalarName): Json {
  switch (scalar) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    case 'time':
    case 'microtime':
    case 'bytes':
    case 'raw':
    case 'fieldsV1':
      return null;
    default:
      return 0;
  }
}
