import { jsonEqual, type Json } from '../../util/json.ts';
import type { ListMerge, MergeType, ObjectMerge } from '../schema/merge-type.ts';
import { emptySet, isEmptySet, leaf, recursiveDifference, union, withSelf, type FieldSet } from './field-set.ts';
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

/** Which fields differ between two values of one type. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

type Building = Record<string, FieldSet>;

// The walk returns three trees at once; these hold those of the node visited last, so that equal values cost no allocation.
let added: FieldSet | undefined;
let modified: FieldSet | undefined;
let removed: FieldSet | undefined;

export function compareTyped(type: MergeType, left: Value, right: Value): Comparison {
  compare(type, left, right);
  const result = { added: added ?? emptySet, modified: modified ?? emptySet, removed: removed ?? emptySet };
  added = modified = removed = undefined;
  return result;
}

export function isSame(c: Comparison): boolean {
  return isEmptySet(c.added) && isEmptySet(c.modified) && isEmptySet(c.removed);
}

export function excludeFields(c: Comparison, excluded: FieldSet): Comparison {
  if (isEmptySet(excluded)) return c;
  return {
    added: recursiveDifference(c.added, excluded),
    modified: recursiveDifference(c.modified, excluded),
    removed: recursiveDifference(c.removed, excluded),
  };
}

function compare(type: MergeType, left: Value, right: Value): void {
  added = modified = removed = undefined;
  if (left === right) return;
  if (type.type !== 'untyped') return compareAs(type, left, right);
  if (right === undefined) return compareAs(resolve(type, left), left, right);
  const shape = shapeOf(right);
  if (left === undefined || shapeOf(left) === shape) return compareAs(typeForShape(shape), left, right);

  // The value changed its shape: it counts under both, as a change of one and as fields that came or went of the other.
  compareAs(typeForShape(shapeOf(left)), left, right);
  const [a, m, r] = [added, modified, removed];
  compareAs(typeForShape(shape), left, right);
  added = both(a, added);
  modified = both(m, modified);
  removed = both(r, removed);
}

function both(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return isEmptySet(a) || isEmptySet(b) ? withSelf(isEmptySet(a) ? b : a) : union(a, b);
}

function compareAs(type: MergeType, left: Value, right: Value): void {
  added = modified = removed = undefined;
  if (type.type === 'object') return compareMaps(type, left, right);
  if (type.type === 'list') return compareLists(type, left, right);
  compareLeaves(left, right);
}

function compareLeaves(left: Value, right: Value): void {
  if (left === undefined) added = leaf;
  else if (right === undefined) removed = leaf;
  else if (!jsonEqual(left, right)) modified = leaf;
}

function compareMaps(type: ObjectMerge, left: Value, right: Value): void {
  const l = asMap(left);
  const r = asMap(right);
  if (type.atomic || (isEmptyMap(l) && isEmptyMap(r))) return compareLeaves(left, right);

  let a: Building | undefined;
  let m: Building | undefined;
  let d: Building | undefined;
  if (l !== undefined) {
    for (const key in l) {
      const before = l[key];
      const after = r === undefined || !Object.hasOwn(r, key) ? undefined : r[key];
      if (before === after) continue;
      compare(fieldType(type, key), before, after);
      if (added !== undefined) (a ??= {})[`f:${key}`] = added;
      if (modified !== undefined) (m ??= {})[`f:${key}`] = modified;
      if (removed !== undefined) (d ??= {})[`f:${key}`] = removed;
    }
  }
  if (r !== undefined) {
    for (const key in r) {
      if (r[key] === undefined || (l !== undefined && Object.hasOwn(l, key) && l[key] !== undefined)) continue;
      compare(fieldType(type, key), undefined, r[key]);
      if (added !== undefined) (a ??= {})[`f:${key}`] = added;
    }
  }
  finish(left, right, a, m, d);
}

function finish(left: Value, right: Value, a: Building | undefined, m: Building | undefined, d: Building | undefined): void {
  added = left === undefined ? withSelf(a) : a;
  modified = m;
  removed = right === undefined ? withSelf(d) : d;
}

function compareLists(type: ListMerge, left: Value, right: Value): void {
  const l = asList(left) ?? [];
  const r = asList(right) ?? [];
  if (type.listType === 'atomic' || (l.length === 0 && r.length === 0)) return compareLeaves(left, right);
  if (l.length > 0 && r.length > 0 && jsonEqual(l, r)) return;

  const before = itemsByElement(type, l);
  const after = itemsByElement(type, r);
  const sets: ListSets = { a: undefined, m: undefined, d: undefined };
  for (const [element, items] of before) compareItems(type, element, items, after.get(element), sets);
  for (const [element, items] of after) if (!before.has(element)) compareItems(type, element, undefined, items, sets);
  finish(left, right, sets.a, sets.m, sets.d);
}

interface ListSets {
  a: Building | undefined;
  m: Building | undefined;
  d: Building | undefined;
}

/** Items that share a key are kept together. */
class Duplicates {
  readonly items: Json[];
  constructor(items: Json[]) {
    this.items = items;
  }
}
type Items = Json | Duplicates;

function itemsByElement(type: ListMerge, list: Json[]): Map<string, Items> {
  const byElement = new Map<string, Items>();
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Json;
    const element = elementAt(type, item, i);
    const known = byElement.get(element);
    if (known === undefined) byElement.set(element, item);
    else if (known instanceof Duplicates) known.items.push(item);
    else byElement.set(element, new Duplicates([known, item]));
  }
  return byElement;
}

function elementAt(type: ListMerge, item: Json, i: number): string {
  try {
    return itemElement(type, item);
  } catch (cause) {
    throw new TypedError(`element ${i}: ${(cause as Error).message}`, { cause });
  }
}

// Duplicates have no parts that could be told apart: together they are one marker, which comes, goes, or changes.
function compareItems(type: ListMerge, element: string, before: Items | undefined, after: Items | undefined, sets: ListSets): void {
  if (before instanceof Duplicates && after instanceof Duplicates) {
    if (!jsonEqual(before.items, after.items)) (sets.m ??= {})[element] = leaf;
    return;
  }
  const one = before instanceof Duplicates ? undefined : before;
  const other = after instanceof Duplicates ? undefined : after;
  if (one !== undefined || other !== undefined) {
    compare(type.element, one, other);
    if (added !== undefined) (sets.a ??= {})[element] = added;
    if (modified !== undefined) (sets.m ??= {})[element] = modified;
    if (removed !== undefined) (sets.d ??= {})[element] = removed;
  }
  if (before instanceof Duplicates) (sets.d ??= {})[element] = withSelf(sets.d[element]);
  if (after instanceof Duplicates) (sets.a ??= {})[element] = withSelf(sets.a[element]);
}
