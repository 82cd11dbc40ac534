import { plainError, type StatusError } from '../../api/status.ts';
import { goPrint, goTypeName } from '../../util/go-print.ts';
import { getMember, isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { rejectedPatch } from './json-patch.ts';

export function noMergeKey(item: JsonObject, mergeKey: string): StatusError {
  return plainError(`map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`);
}

/** True for lists of maps, false for lists of primitives; the two cannot be mixed. */
export function isMapList(original: Json[], patch: Json[]): boolean {
  const first = original.length > 0 ? original[0] : patch[0];
  if (first === undefined) throw plainError('no elements in any of the given slices');
  if (Array.isArray(first)) throw rejectedPatch('lists of lists are not supported');
  const kind = kindOf(first);
  for (const list of [original, patch])
    for (const item of list)
      if (kindOf(item) !== kind) throw plainError(`list element types are not identical: ${goPrint([original, patch])}`);
  return kind === 'map';
}

function kindOf(value: Json): string {
  return isJsonObject(value) ? 'map' : goTypeName(value);
}

export function deleteFromList(list: Json[], toDelete: Json[]): Json[] {
  return list.filter(item => !toDelete.includes(item));
}

export function mergePrimitives(original: Json[], patch: Json[]): Json[] {
  return [...new Set([...original, ...patch])];
}

interface Ordering {
  merged: Json[];
  /** The order the patch asks for. */
  order: Json[];
  /** What the server has, in its order. */
  original: Json[];
  patch: Json[];
  mergeKey: string;
}

/** The items of the patch in its order, and between them those only the server knows, as near to their old place as that allows. */
export function inElementOrder({ merged, order, original, patch, mergeKey }: Ordering): Json[] {
  if (merged.length === 0 && original.length === 0 && patch.length === 0) return merged;
  const isMap = isMapList(original, patch);
  const idOf = (item: Json): Json | undefined => (isMap && isJsonObject(item) ? getMember(item, mergeKey) : item);
  if (isMap && mergeKey !== '') requireKeys([merged, order, original], mergeKey);

  const wanted = indexBy(order, idOf);
  const known = indexBy(original, idOf);
  const place = (index: ReadonlyMap<unknown, number>) => (a: Json, b: Json) => (index.get(idOf(a)) ?? -1) - (index.get(idOf(b)) ?? -1);
  const right = merged.filter(item => wanted.has(idOf(item))).sort(place(wanted));
  const left = merged.filter(item => !wanted.has(idOf(item))).sort(place(known));
  return interleave(left, right, item => known.get(idOf(item)));
}

function requireKeys(lists: Json[][], mergeKey: string): void {
  for (const list of lists) {
    for (const item of list) {
      if (!isJsonObject(item)) throw plainError(`expected a map[string]interface {}, but received a ${goTypeName(item)}`);
      if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
    }
  }
}

function indexBy(list: Json[], idOf: (item: Json) => Json | undefined): Map<unknown, number> {
  const index = new Map<unknown, number>();
  list.forEach((item, i) => {
    const id = idOf(item);
    if (!index.has(id)) index.set(id, i);
  });
  return index;
}

function interleave(left: Json[], right: Json[], knownPlace: (item: Json) => number | undefined): Json[] {
  const out: Json[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const a = knownPlace(left[i] as Json);
    const b = knownPlace(right[j] as Json);
    if (a !== undefined && b !== undefined && a < b) out.push(left[i++] as Json);
    else out.push(right[j++] as Json);
  }
  return [...out, ...left.slice(i), ...right.slice(j)];
}
