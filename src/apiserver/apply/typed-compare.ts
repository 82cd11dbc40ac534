import { jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import type { ListMerge, MergeType, ObjectMerge } from '../schema/merge-type.ts';
import { emptySet, inOrder, isEmptySet, leaf, recursiveDifference, union, withSelf, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';
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
  if (left === undefined) added = wholeOf(type, right as Json);
  else if (right === undefined) removed = wholeOf(type, left);
  else if (type.type !== 'untyped') compareAs(type, left, right);
  else if (shapeOf(left) === shapeOf(right)) compareAs(typeForShape(shapeOf(right)), left, right);
  else compareShapes(left, right);
}

// The value changed its shape: it counts under both, as a change of one and as fields that came or went of the other.
function compareShapes(left: Json, right: Json): void {
  compareAs(typeForShape(shapeOf(left)), left, right);
  const [a, m, r] = [added, modified, removed];
  compareAs(typeForShape(shapeOf(right)), left, right);
  added = both(a, added);
  modified = both(m, modified);
  removed = both(r, removed);
}

/** Everything of a value that is only on one side. */
function wholeOf(type: MergeType, value: Json): FieldSet {
  const as = resolve(type, value);
  if (as.type === 'object' && !as.atomic) return wholeMap(as, asMap(value));
  if (as.type === 'list' && as.listType !== 'atomic') return wholeList(as, asList(value));
  return leaf;
}

function wholeMap(type: ObjectMerge, map: JsonObject | undefined): FieldSet {
  if (map === undefined || isEmptyMap(map)) return leaf;
  const out: Building = { '.': leaf };
  for (const key of Object.keys(map).sort()) {
    const value = map[key];
    if (value !== undefined) out[fieldElement(key)] = wholeOf(fieldType(type, key), value);
  }
  return out;
}

function wholeList(type: ListMerge, list: Json[] | undefined): FieldSet {
  if (list === undefined || list.length === 0) return leaf;
  const out: Building = { '.': leaf };
  for (let i = 0; i < list.length; i++) {
    const element = elementAt(type, list[i] as Json, i);
    out[element] = out[element] === undefined ? wholeOf(type.element, list[i] as Json) : leaf;
  }
  return inOrder(out);
}

function both(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return isEmptySet(a) || isEmptySet(b) ? withSelf(isEmptySet(a) ? b : a) : union(a, b);
}

function compareAs(type: MergeType, left: Json, right: Json): void {
  added = modified = removed = undefined;
  if (type.type === 'object') return compareMaps(type, left, right);
  if (type.type === 'list') return compareLists(type, left, right);
  compareLeaves(left, right);
}

function compareLeaves(left: Json, right: Json): void {
  if (!jsonEqual(left, right)) modified = leaf;
}

function compareMaps(type: ObjectMerge, left: Json, right: Json): void {
  const l = asMap(left);
  const r = asMap(right);
  if (type.atomic || (isEmptyMap(l) && isEmptyMap(r))) return compareLeaves(left, right);

  let a: Building | undefined;
  let m: Building | undefined;
  let d: Building | undefined;
  for (const key in l) {
    const before = l[key];
    const after = r !== undefined && Object.hasOwn(r, key) ? r[key] : undefined;
    if (before === after) continue;
    compare(fieldType(type, key), before, after);
    if (added !== undefined) (a ??= {})[fieldElement(key)] = added;
    if (modified !== undefined) (m ??= {})[fieldElement(key)] = modified;
    if (removed !== undefined) (d ??= {})[fieldElement(key)] = removed;
  }
  for (const key in r) {
    const after = r[key];
    if (after === undefined || (l !== undefined && Object.hasOwn(l, key) && l[key] !== undefined)) continue;
    (a ??= {})[fieldElement(key)] = wholeOf(fieldType(type, key), after);
  }
  finish(a, m, d);
}

function finish(a: Building | undefined, m: Building | undefined, d: Building | undefined): void {
  added = a && inOrder(a);
  modified = m && inOrder(m);
  removed = d && inOrder(d);
}

function compareLists(type: ListMerge, left: Json, right: Json): void {
  const l = asList(left) ?? [];
  const r = asList(right) ?? [];
  if (type.listType === 'atomic' || (l.length === 0 && r.length === 0)) return compareLeaves(left, right);
  if (l.length > 0 && r.length > 0 && jsonEqual(l, r)) return;

  const before = itemsByElement(type, l);
  const after = itemsByElement(type, r);
  const sets: ListSets = { a: undefined, m: undefined, d: undefined };
  for (const [element, items] of before) compareItems(type, element, items, after.get(element), sets);
  for (const [element, items] of after) if (!before.has(element)) compareItems(type, element, undefined, items, sets);
  finish(sets.a, sets.m, sets.d);
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
