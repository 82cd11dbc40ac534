import type { Schema } from './open-api.ts';
import { walk, type MergeContext, type Sources } from './merge-nodes.ts';
import { fieldOf, getField, matchElement, setElement, setField, setScalar } from './node-fields.ts';
import { isEmptyMap, isMissingOrNull, isNilOrEmpty, makeNode, scalarNode, type YamlNode } from './yaml-node.ts';

/** Merges two lists item by item; items of the patch come first. `dest` is the list to begin with. */
export function mergeList(context: MergeContext, sources: Sources, schema: Schema, dest: YamlNode | undefined): YamlNode | undefined {
  sources[0] = dest;
  if (!dest) return undefined;
  const keys = schema.mergeKeys ?? [];
  if (keys.length > 0) return mergeItems({ context, sources, schema, dest }, keys, itemValues(sources, keys));
  return mergeItems({ context, sources, schema, dest }, [''], scalarValues(sources));
}

interface ListMerge {
  readonly context: MergeContext;
  readonly sources: Sources;
  readonly schema: Schema;
  readonly dest: YamlNode;
}

function mergeItems({ context, sources, schema, dest }: ListMerge, keys: readonly string[], found: string[][]): YamlNode | undefined {
  const items = schema.items();
  const added = makeNode('sequence');
  const all = keys.length > 1 ? completeValues(found) : found;
  let validKeys: readonly string[] = keys;
  for (const values of all) {
    const valid = usedKeys(all, values, keys);
    validKeys = valid.keys;
    const inner = usedKeys([valid.values], valid.values, valid.keys);
    const merged = walk(
      context,
      sources.map(list => (list?.kind === 'sequence' ? matchElement(list, inner.keys, inner.values) : undefined)) as Sources,
      items,
    );
    if (isMissingOrNull(merged) || isEmptyMap(merged)) {
      setElement(dest, valid);
      continue;
    }
    valid.keys.forEach((key, i) => {
      if (fieldOf(merged, key) || valid.values[i] === '') return;
      const value = scalarNode(valid.values[i]!);
      if (key === '') setScalar(merged, value);
      else setField(merged, key, value);
    });
    setElement(added, { element: merged, ...valid });
  }
  return all.length > 0 ? appendItems(added, dest, validKeys) : dest;
}

/** The values of the keys in every item, each combination once; those of the patch first. */
function itemValues([dest, patch]: Sources, keys: readonly string[]): string[][] {
  const seen = new Set<string>();
  const found: string[][] = [];
  for (const list of [patch, dest]) {
    if (list?.kind !== 'sequence') continue;
    for (const item of list.content) {
      const values = keys.map(key => {
        const field = fieldOf(item, key);
        return isNilOrEmpty(field) ? '' : field.value;
      });
      const id = JSON.stringify(values);
      if (seen.has(id)) continue;
      seen.add(id);
      found.push(values);
    }
  }
  return found;
}

function scalarValues([dest, patch]: Sources): string[][] {
  const values = [...(patch?.content ?? []), ...(dest?.content ?? [])].map(({ value }) => value);
  return [...new Set(values)].map(value => [value]);
}

/** Items that differ only in keys one of them leaves out are the same item. */
function completeValues(all: string[][]): string[][] {
  for (let i = 0; i < all.length; i++) {
    const first = all[i]!;
    for (let j = 0; j < all.length; j++) {
      const both = joinValues(first, all[j]!);
      if (both) all[i] = all[j] = both;
    }
  }
  return all;
}

function joinValues(a: readonly string[], b: readonly string[]): string[] | undefined {
  if (a.length !== b.length) return undefined;
  let hasCommon = false;
  const joined: string[] = [];
  for (const [i, value] of a.entries()) {
    const other = b[i]!;
    if (value === other) hasCommon = true;
    else if (value !== '' && other !== '') return undefined;
    joined.push(value === '' ? other : value);
  }
  return hasCommon ? joined : undefined;
}

/** Keys that some item has. When no item has any, all of them. */
function usedKeys(all: readonly string[][], values: string[], keys: readonly string[]): { keys: readonly string[]; values: string[] } {
  const used = new Set<string>();
  for (const list of all) list.forEach((value, i) => value !== '' && used.add(keys[i]!));
  if (used.size === 0) return { keys, values };
  return { keys: keys.filter(key => used.has(key)), values: values.filter((value, i) => value !== '' || used.has(keys[i]!)) };
}

/** Puts the items of `from` behind those of `list`, in place of equal ones. Items without a key push out others, as in kustomize. */
function appendItems(list: YamlNode, from: YamlNode, keys: readonly string[]): YamlNode {
  for (const element of from.content) {
    if (keys[0] === '') {
      setElement(list, { element, keys: [''], values: [element.value] });
      continue;
    }
    const values: string[] = [];
    for (const key of keys) {
      const field = getField(element, key);
      if (field) values.push(field.value);
      else list.content.push(element);
    }
    if (keys.length > 1) setElement(list, { keys, values });
    setElement(list, { element, keys, values });
  }
  return list;
}
