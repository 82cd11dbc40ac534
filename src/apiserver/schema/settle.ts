import type { Json, JsonObject } from '../../util/json.ts';
import type { GoField, GoStruct, GoType } from './go-type.ts';

type Settle = (value: Json) => void;

const cache = new WeakMap<GoStruct, Settle | undefined>();

/** Extensions are stored as JSON, and reviews are not stored. */
const keptAsJson = /^io\.k8s\.(?:apiextensions-apiserver|kube-aggregator|api\.(?:authentication|authorization|admission)\.)/;

/**
 * Makes of an object in memory what reading it back from the store gives. Protobuf cannot tell an empty list from none: where the type
 * prints the field at all, it becomes null. Undefined when there is nothing to do for the type.
 */
export function settleStruct(struct: GoStruct): Settle | undefined {
  if (cache.has(struct)) return cache.get(struct);
  // Structs that contain themselves end here.
  cache.set(struct, undefined);
  const actions = struct.fields.map(field => settleField(field, !keptAsJson.test(struct.name))).filter(action => action !== undefined);
  const settle: Settle | undefined = actions.length === 0 ? undefined : value => actions.forEach(action => action(value as JsonObject));
  cache.set(struct, settle);
  return settle;
}

function settleField({ name, type, isPointer, omitEmpty }: GoField, isProtobuf: boolean): ((owner: JsonObject) => void) | undefined {
  const inside = settleType(type);
  const isContainer = (type.type === 'list' || type.type === 'map') && !isPointer && !omitEmpty && isProtobuf;
  if (!isContainer && !inside) return undefined;
  return owner => {
    const value = owner[name];
    if (typeof value !== 'object' || value === null) return;
    if (isContainer && Object.keys(value).length === 0) owner[name] = null;
    else inside?.(value);
  };
}

function settleType(type: GoType): Settle | undefined {
  if (type.type === 'struct') return settleStruct(type);
  if (type.type === 'scalar') return undefined;
  const element = settleType(type.element);
  return element && (value => Object.values(value as JsonObject).forEach(item => item !== null && element(item)));
}
