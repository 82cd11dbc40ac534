import { getMember, isJsonObject, jsonEqual, setMember, type Json, type JsonObject } from '../../util/json.ts';
import type { Schema } from '../../render/kustomize/open-api.ts';

/** What was last applied, what is wanted, and what is there. */
export interface ThreeWays {
  readonly last: JsonObject;
  readonly want: JsonObject;
  readonly have: JsonObject;
}

/**
 * What makes of `have` what is wanted, as kubectl does it: what was applied before and is not wanted any more goes, what others added stays. With a
 * schema it is a strategic merge patch, whose lists merge by their keys; without one it is a merge patch. Undefined: there is nothing to change.
 */
export function threeWayPatch({ last, want, have }: ThreeWays, schema: Schema | undefined): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const [key, value] of Object.entries(want)) {
    const part = patchOf({ key, last: getMember(last, key), want: value, have: getMember(have, key), schema: schema?.field(key) });
    for (const [name, change] of Object.entries(part ?? {})) setMember(patch, name, change);
  }
  for (const key of Object.keys(last))
    if (getMember(want, key) === undefined && getMember(have, key) !== undefined) setMember(patch, key, null);
  return Object.keys(patch).length > 0 ? patch : undefined;
}

interface Field {
  readonly key: string;
  readonly last: Json | undefined;
  readonly want: Json;
  readonly have: Json | undefined;
  readonly schema: Schema | undefined;
}

/** Of these fields the server keeps only the keys that it is told. */
const retained: ReadonlySet<string> = new Set(['strategy', 'volumes']);

function patchOf({ key, last, want, have, schema }: Field): JsonObject | undefined {
  if (jsonEqual(want, have)) return undefined;
  if (isJsonObject(want) && isJsonObject(have)) {
    const patch = threeWayPatch({ last: isJsonObject(last) ? last : {}, want, have }, schema);
    if (!patch) return undefined;
    return { [key]: schema && retained.has(key) ? { $retainKeys: Object.keys(want), ...patch } : patch };
  }
  const { mergeKeys } = schema ?? {};
  if (!Array.isArray(want) || !Array.isArray(have) || !mergeKeys) return { [key]: want };
  const before = Array.isArray(last) ? last : [];
  const [name] = mergeKeys;
  if (name === undefined) return patchOfSet(key, before, want, have);
  if (!isKeyed(before, name) || !isKeyed(want, name) || !isKeyed(have, name)) return { [key]: [...want, { $patch: 'replace' }] };
  return patchOfList({ key, last: before, want, have, schema }, name);
}

/** Whether every item has a key of its own. */
const isKeyed = (items: Json[], name: string): items is JsonObject[] =>
  items.every(isJsonObject) &&
  new Set(items.map(item => item[name])).size === items.length &&
  items.every(item => item[name] !== undefined);

function patchOfSet(key: string, last: readonly Json[], want: readonly Json[], have: readonly Json[]): JsonObject | undefined {
  const added = want.filter(one => !have.includes(one));
  const gone = last.filter(one => !want.includes(one) && have.includes(one));
  if (added.length === 0 && gone.length === 0) return undefined;
  return { ...(added.length > 0 && { [key]: added }), ...(gone.length > 0 && { [`$deleteFromPrimitiveList/${key}`]: gone }) };
}

type Lists = { readonly key: string; readonly schema: Schema | undefined } & Record<'last' | 'want' | 'have', JsonObject[]>;

function patchOfList({ key, last, want, have, schema }: Lists, name: string): JsonObject | undefined {
  const find = (items: readonly JsonObject[], item: JsonObject) => items.find(one => one[name] === item[name]);
  const items = want.flatMap((item): JsonObject[] => {
    const present = find(have, item);
    if (!present) return [item];
    const patch = threeWayPatch({ last: find(last, item) ?? {}, want: item, have: present }, schema?.items());
    if (!patch) return [];
    return [{ [name]: item[name]!, ...(retained.has(key) && { $retainKeys: Object.keys(item) }), ...patch }];
  });
  const gone = last
    .filter(item => !find(want, item) && find(have, item))
    .map((item): JsonObject => ({ $patch: 'delete', [name]: item[name]! }));
  if (items.length === 0 && gone.length === 0) return undefined;
  return { [key]: [...items, ...gone], [`$setElementOrder/${key}`]: want.map(item => ({ [name]: item[name]! })) };
}
