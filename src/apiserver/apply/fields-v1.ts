import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { emptySet, leaf, withSelf, type FieldSet } from './field-set.ts';
import { canonicalElement, compareElements } from './path-element.ts';

const inOrder = new WeakSet<FieldSet>();
const decoded = new WeakMap<object, FieldSet>();

/** Reads FieldsV1. Sets this module wrote are recognised by identity and cost nothing. Throws on elements that cannot be read. */
export function decodeFieldsV1(fields: JsonObject | undefined): FieldSet {
  if (fields === undefined) return emptySet;
  const node = fields as unknown as FieldSet;
  if (inOrder.has(node)) return node;
  const known = decoded.get(fields);
  if (known !== undefined) return known;
  const set = encodeFieldsV1(decodeNode(fields, true)) as unknown as FieldSet;
  decoded.set(fields, set);
  return set;
}

function decodeNode(fields: unknown, isRoot: boolean): FieldSet {
  if (fields === null) return leaf;
  if (!isJsonObject(fields)) throw new Error(`expected a map of fields, got ${JSON.stringify(fields)}`);
  const out: Record<string, FieldSet> = {};
  let isMember = false;
  let hasChildren = false;
  for (const key of Object.keys(fields)) {
    if (key === '.') {
      isMember = true;
      continue;
    }
    const element = canonicalElement(key);
    if (element === undefined) continue;
    out[element] = decodeNode(fields[key], false);
    hasChildren = true;
  }
  if (!hasChildren) return leaf;
  return isMember && !isRoot ? withSelf(out) : out;
}

/** The set as FieldsV1, in the order Go prints it. Shares every part of `set` that is in order already. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  return sorted(set) as unknown as JsonObject;
}

function sorted(node: FieldSet): FieldSet {
  if (node === leaf || inOrder.has(node)) return node;
  const elements = Object.keys(node);
  if (elements.length === 0) return leaf;

  let isSorted = true;
  const children = new Array<FieldSet>(elements.length);
  for (let i = 0; i < elements.length; i++) {
    const child = node[elements[i] as string] as FieldSet;
    const ordered = sorted(child);
    children[i] = ordered;
    if (ordered !== child || (i > 0 && compareElements(elements[i - 1] as string, elements[i] as string) > 0)) isSorted = false;
  }
  const result = isSorted ? node : reorder(elements, children);
  inOrder.add(result);
  return result;
}

function reorder(elements: string[], children: FieldSet[]): FieldSet {
  const order = elements.map((_, i) => i).sort((a, b) => compareElements(elements[a] as string, elements[b] as string));
  const out: Record<string, FieldSet> = {};
  for (const i of order) out[elements[i] as string] = children[i] as FieldSet;
  return out;
}

export function sortElements(elements: string[]): string[] {
  return elements.sort(compareElements);
}
