import type { Json } from '../../util/json.ts';
import type { ListMerge, MergeType, ObjectMerge } from '../schema/merge-type.ts';
import { emptySet, inOrder, isEmptySet, leaf, withSelf, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';
import { asList, asMap, declares, fieldType, isEmptyMap, itemElement, resolve, untyped, type Value } from './typed-value.ts';

type Building = Record<string, FieldSet>;

/** All fields a value sets. */
export function fieldsOf(type: MergeType, value: Value): FieldSet {
  return nodeOf(type, value) ?? emptySet;
}

function nodeOf(type: MergeType, value: Value): FieldSet | undefined {
  const as = resolve(type, value);
  if (as.type === 'object') return as.atomic ? leaf : fieldsOfMap(as, value);
  if (as.type === 'list') return as.listType === 'atomic' ? leaf : fieldsOfList(as, asList(value));
  return leaf;
}

function fieldsOfMap(type: ObjectMerge, value: Value): FieldSet | undefined {
  const map = asMap(value);
  if (map === undefined) return undefined;
  let out: Building | undefined;
  for (const key in map) {
    const child = map[key];
    if (child === undefined) continue;
    const node = nodeOf(fieldType(type, key), child);
    const isOwn = child === null || (typeof child === 'object' && !Array.isArray(child) && isEmptyMap(child)) || !declares(type, key);
    if (node !== undefined || isOwn) (out ??= {})[fieldElement(key)] = isOwn ? withSelf(node) : (node as FieldSet);
  }
  return out && inOrder(out);
}

function fieldsOfList(type: ListMerge, list: Json[] | undefined): FieldSet | undefined {
  if (list === undefined) return undefined;
  const out: Building = {};
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  const elements = list.map(item => itemElement(type, item));
  for (const element of elements) (seen.has(element) ? duplicates : seen).add(element);
  list.forEach((item, i) => {
    const element = elements[i] as string;
    out[element] = duplicates.has(element) ? leaf : withSelf(nodeOf(type.element, item));
  });
  return isEmptySet(out) ? undefined : inOrder(out);
}

/** The set with every declared field that leads to members made a member itself. */
export function withNamedFields(set: FieldSet, type: MergeType): FieldSet {
  const out: Building = {};
  for (const element in set) {
    const child = set[element] as FieldSet;
    if (isEmptySet(child)) {
      out[element] = leaf;
      continue;
    }
    const deeper = withNamedFields(child, childType(type, element));
    const isNamed = type.type === 'object' && element.startsWith('f:') && declares(type, element.slice(2));
    out[element] = isNamed ? withSelf(deeper) : deeper;
  }
  return out;
}

function childType(type: MergeType, element: string): MergeType {
  if (type.type === 'object') return element.startsWith('f:') ? fieldType(type, element.slice(2)) : untyped;
  return type.type === 'list' ? type.element : untyped;
}

const reconciled = new WeakMap<FieldSet, { type: MergeType; set: FieldSet }>();

/** The set as the present schema has it: what was granular and is atomic now is owned as a whole. */
export function reconcileWithSchema(set: FieldSet, type: MergeType): FieldSet {
  const known = reconciled.get(set);
  if (known !== undefined && known.type === type) return known.set;
  const result = reconcileChildren(set, type);
  if (!isEmptySet(set)) reconciled.set(set, { type, set: result });
  if (result !== set && !isEmptySet(result)) reconciled.set(result, { type, set: result });
  return result;
}

function reconcileChildren(set: FieldSet, type: MergeType): FieldSet {
  if (type.type === 'scalar' || type.type === 'untyped') return set;
  let out: Building | undefined;
  for (const element in set) {
    if (element === '.') continue;
    const child = set[element] as FieldSet;
    if (isEmptySet(child)) continue;
    const target = type.type === 'list' ? type.element : element.startsWith('f:') ? type.field(element.slice(2)) : undefined;
    if (target === undefined) continue;
    const isAtomic = (target.type === 'object' && target.atomic) || (target.type === 'list' && target.listType === 'atomic');
    const next = isAtomic ? leaf : reconcileChildren(child, target);
    if (next !== child) (out ??= { ...set })[element] = next;
  }
  return out ?? set;
}
