import type { Json, JsonObject } from '../../util/json.ts';
import type { GoField, GoStruct, GoType } from './go-type.ts';

/** Tells whether it changed anything. */
type Settle = (value: Json) => boolean;

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
  const settle: Settle = value => {
    let changed = false;
    for (const action of actions) if (action(value as JsonObject)) changed = true;
    return changed;
  };
  const found = actions.length === 0 ? undefined : settle;
  cache.set(struct, found);
  return found;
}

function settleField({ name, type, isPointer, omitEmpty }: GoField, isProtobuf: boolean): ((owner: JsonObject) => boolean) | undefined {
  const inside = settleType(type);
  const isContainer = (type.type === 'list' || type.type === 'map') && !isPointer && !omitEmpty && isProtobuf;
  if (!isContainer && !inside) return undefined;
  return owner => {
    const value = owner[name];
    if (typeof value !== 'object' || value === null) return false;
    if (!isContainer || Object.keys(value).length > 0) return inside?.(value) ?? false;
    owner[name] = null;
    return true;
  };
}

function settleType(type: GoType): Settle | undefined {
  if (type.type === 'struct') return settleStruct(type);
  if (type.type === 'scalar') return undefined;
  const element = settleType(type.element);
  if (!element) return undefined;
  return value => {
    let changed = false;
    for (const item of Object.values(value as JsonObject)) if (item !== null && element(item)) changed = true;
    return changed;
  };
}
