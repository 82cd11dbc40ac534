import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { emptySet, leaf, orderedTree, withSelf, type FieldSet } from './field-set.ts';
import { canonicalElement } from './path-element.ts';

const ours = new WeakSet<object>();
const decoded = new WeakMap<object, FieldSet>();

/** Reads FieldsV1. Sets this module wrote are recognised by identity and cost nothing. Throws on elements that cannot be read. */
export function decodeFieldsV1(fields: JsonObject | undefined): FieldSet {
  if (fields === undefined) return emptySet;
  if (ours.has(fields)) return fields as unknown as FieldSet;
  const known = decoded.get(fields);
  if (known !== undefined) return known;
  const set = orderedTree(decodeNode(fields, true));
  ours.add(set);
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

/** The set as FieldsV1, in the order Go prints it: sets have that shape already. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  ours.add(set);
  return set as unknown as JsonObject;
}
