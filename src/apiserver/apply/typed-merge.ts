import type { Json, JsonObject } from '../../util/json.ts';
import type { ListMerge, MergeType, ObjectMerge } from '../schema/merge-type.ts';
import { below, hasMember, isEmptySet, type FieldSet } from './field-set.ts';
import {
  asList,
  asMap,
  fieldType,
  isEmptyMap,
  itemElement,
  resolve,
  shapeOf,
  typeForShape,
  TypedError,
  type Value,
} from './typed-value.ts';

/** `right` laid over `left`: granular maps and keyed lists merge, everything else is replaced. Shares what did not change. */
export function mergeTyped(type: MergeType, left: Value, right: Value): Value {
  if (left === undefined || right === undefined) return right ?? left;
  const as = type.type === 'untyped' ? typeForShape(shapeOf(right)) : type;
  if (as.type === 'object' && !as.atomic) return mergeMaps(as, left, right);
  if (as.type === 'list' && as.listType !== 'atomic') return mergeLists(as, left, right);
  return right;
}

function mergeMaps(type: ObjectMerge, left: Json, right: Json): Json {
  const l = asMap(left);
  const r = asMap(right);
  if (isEmptyMap(l) && isEmptyMap(r)) return right;
  if (r === undefined) return l as JsonObject;
  if (l === undefined) return r;
  const out: JsonObject = { ...l };
  for (const key of Object.keys(r)) {
    const value = mergeTyped(fieldType(type, key), Object.hasOwn(l, key) ? l[key] : undefined, r[key]);
    if (value !== undefined) out[key] = value;
  }
  return out;
}

function mergeLists(type: ListMerge, left: Json, right: Json): Json {
  const l = asList(left) ?? [];
  const r = asList(right) ?? [];
  if (l.length === 0 && r.length === 0) return right;

  const rightKeys = r.map((item, i) => elementAt(type, item, i));
  const rightItems = new Map<string, Json>();
  rightKeys.forEach((key, i) => {
    if (rightItems.has(key)) throw new TypedError(`duplicate entries for key ${key}`);
    rightItems.set(key, r[i] as Json);
  });
  const leftKeys = l.map((item, i) => elementAt(type, item, i));
  // Duplicates on the left take part in nothing: the value of the right replaces them.
  const leftItems = new Map<string, Json | undefined>();
  leftKeys.forEach((key, i) => leftItems.set(key, leftItems.has(key) ? undefined : (l[i] as Json)));
  return interleave(type, { l, leftKeys, leftItems, rightKeys, rightItems });
}

function elementAt(type: ListMerge, item: Json, i: number): string {
  try {
    return itemElement(type, item);
  } catch (cause) {
    throw new TypedError(`element ${i}: ${(cause as Error).message}`, { cause });
  }
}

interface Sides {
  l: Json[];
  leftKeys: string[];
  leftItems: Map<string, Json | undefined>;
  rightKeys: string[];
  rightItems: Map<string, Json>;
}

// The right decides the order of what both have; items only the left has stay after the neighbour they followed.
function interleave(type: ListMerge, { l, leftKeys, leftItems, rightKeys, rightItems }: Sides): Json[] {
  const out: Json[] = [];
  const shared = rightKeys.filter(key => leftItems.has(key));
  const taken = new Set<string>();
  let nextShared = 0;
  let i = 0;
  let j = 0;
  const take = (key: string) => {
    taken.add(key);
    const item = mergeTyped(type.element, leftItems.get(key), rightItems.get(key));
    if (item !== undefined) out.push(item);
  };

  while (i < leftKeys.length || j < rightKeys.length) {
    const leftKey = leftKeys[i];
    const rightKey = rightKeys[j];
    if (leftKey !== undefined && rightKey !== undefined) {
      if (leftKey === rightKey) {
        take(leftKey);
        i++;
        j++;
        nextShared++;
        continue;
      }
      if (rightItems.has(leftKey) && nextShared < shared.length && shared[nextShared] !== leftKey) {
        i++;
        continue;
      }
    }
    if (leftKey !== undefined) {
      if (!rightItems.has(leftKey)) {
        out.push(l[i] as Json);
        i++;
        continue;
      }
      if (taken.has(leftKey)) i++;
    }
    if (rightKey !== undefined) {
      take(rightKey);
      j++;
      if (shared[nextShared] === rightKey) nextShared++;
    }
  }
  return out;
}

/** The value without the given fields. What loses everything below it becomes null, as in structured-merge-diff. */
export function removeFields(type: MergeType, value: Json, toRemove: FieldSet): Json {
  if (isEmptySet(toRemove)) return value;
  const as = resolve(type, value);
  if (as.type === 'object') return removeFromMap(as, asMap(value), toRemove);
  if (as.type === 'list') return removeFromList(as, asList(value), toRemove);
  return value;
}

function removeFromMap(type: ObjectMerge, map: JsonObject | undefined, toRemove: FieldSet): Json {
  if (map === undefined || type.atomic) return null;
  const out: JsonObject = {};
  for (const key of Object.keys(map)) {
    const element = `f:${key}`;
    if (hasMember(toRemove, element)) continue;
    const deeper = below(toRemove, element);
    out[key] = deeper === undefined ? (map[key] as Json) : removeFields(fieldType(type, key), map[key] as Json, deeper);
  }
  return isEmptyMap(out) ? null : out;
}

function removeFromList(type: ListMerge, list: Json[] | undefined, toRemove: FieldSet): Json {
  if (list === undefined || type.listType === 'atomic') return null;
  const out: Json[] = [];
  for (const item of list) {
    const element = itemElement(type, item);
    if (hasMember(toRemove, element)) continue;
    const deeper = below(toRemove, element);
    out.push(deeper === undefined ? item : removeFields(type.element, item, deeper));
  }
  return out.length === 0 ? null : out;
}
