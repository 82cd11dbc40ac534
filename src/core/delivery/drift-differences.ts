import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts';
import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import { mayBeSame } from './drift-equality.ts';
import { isOwnedWhole, listKindOf, ownersAt, readOwners, type Owners } from './drift-owners.ts';
import { hasKeys, type Step } from './drift-path.ts';

/** A field whose live value is not, or does not look like, the delivered one. */
export interface Difference {
  readonly steps: readonly Step[];
  readonly want: unknown;
  /** Undefined: the field is gone. */
  readonly have: unknown;
  /** Who owns the field now, besides the deliverer; where several do, who wrote last. */
  readonly owner: ManagedFieldsEntry | undefined;
  /** We own the field still: the member keeps our value in another form, or something that leaves no trace has changed it. */
  readonly isOurs: boolean;
}

/** The system writes the rest of the metadata. */
const deliveredMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/**
 * Every delivered field that is not on the member as delivered. Lists are compared item by item where the member merges them so. A member
 * takes a field from us as soon as somebody else writes another value, so a field that we own counts as changed only when no other form of
 * our value explains what is there.
 */
export function findDifferences(want: KubeObject, have: KubeObject, manager: string): Difference[] {
  const found: Difference[] = [];
  const owners = readOwners(have, manager);
  const wanted = deliveredFields(want, owners);
  for (const [name, value] of Object.entries(wanted)) {
    const step = { field: name };
    compare(value, have[name], ownersAt(owners, step), [step]);
  }
  return found;

  function compare(value: unknown, live: unknown, here: Owners, steps: readonly Step[]): void {
    if (value === undefined || value === null || jsonEqual(value, live)) return;
    // An empty list or map that is not there says as much, and where items are merged nobody owns it.
    if ((live === undefined || live === null) && typeof value === 'object' && Object.keys(value).length === 0) return;
    const isDivided = !isOwnedWhole(here) && live !== undefined && live !== null;
    if (isDivided && isJsonObject(value) && isJsonObject(live)) return compareFields(value, live, here, steps);
    if (isDivided && Array.isArray(value) && Array.isArray(live)) {
      const merging = listKindOf(here);
      if (merging.kind === 'set') return compareSet(value as Json[], live as Json[], here, steps);
      if (merging.kind === 'keyed') return compareItems(value as Json[], live as Json[], merging.names, here, steps);
    }
    const isOurs = here.ours !== undefined;
    if (isOurs && mayBeSame(value, live)) return;
    found.push({ steps, want: value, have: live ?? undefined, owner: here.others[0]?.entry, isOurs });
  }

  function compareFields(value: JsonObject, live: JsonObject, here: Owners, steps: readonly Step[]): void {
    for (const name of Object.keys(value)) {
      const step = { field: name };
      compare(value[name], Object.hasOwn(live, name) ? live[name] : undefined, ownersAt(here, step), [...steps, step]);
    }
  }

  function compareSet(value: readonly Json[], live: readonly Json[], here: Owners, steps: readonly Step[]): void {
    for (const item of value) {
      if (live.some(other => jsonEqual(other, item))) continue;
      const step = { value: item };
      compare(item, undefined, ownersAt(here, step), [...steps, step]);
    }
  }

  function compareItems(
    value: readonly Json[],
    live: readonly Json[],
    names: readonly string[],
    here: Owners,
    steps: readonly Step[],
  ): void {
    for (const { item, live: match, keys } of pairItems(value, live, names, here)) {
      const step = { keys };
      compare(item, match, ownersAt(here, step), [...steps, step]);
    }
  }
}

interface Pair {
  readonly item: Json;
  readonly live: Json | undefined;
  readonly keys: Readonly<Record<string, Json>>;
}

/**
 * Delivered items and the live ones with the same keys. A delivered item may leave out a key that has a default (the protocol of a port):
 * such items choose after those with all keys, and first among what is ours.
 */
export function pairItems(items: readonly Json[], live: readonly Json[], names: readonly string[], owners: Owners): Pair[] {
  const free = new Set(live);
  const pairs = new Map<Json, Pair>();
  const givenKeys = (item: Json): Record<string, Json> =>
    Object.fromEntries(names.flatMap(name => (isJsonObject(item) && item[name] !== undefined ? [[name, item[name]]] : [])));
  const isComplete = (item: Json): boolean => Object.keys(givenKeys(item)).length === names.length;
  const isOurs = (other: Json): boolean => ownersAt(owners, { keys: givenKeys(other) }).ours !== undefined;

  for (const item of [...items].sort((a, b) => Number(isComplete(b)) - Number(isComplete(a)))) {
    const keys = givenKeys(item);
    const matches = [...free].filter(other => hasKeys(other, keys));
    const match = matches.find(isOurs) ?? matches[0];
    if (match !== undefined) free.delete(match);
    pairs.set(item, { item, live: match, keys: match === undefined ? keys : givenKeys(match) });
  }
  return items.flatMap(item => pairs.get(item) ?? []);
}

/** What a delivery says about an object: without the metadata that is not ours, and without a status that is the member's to write. */
function deliveredFields(want: KubeObject, { ours }: Owners): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, status, ...rest } = want as Partial<KubeObject>;
  const kept = Object.entries(metadata ?? {}).filter(([name]) => deliveredMetadata.includes(name));
  return {
    metadata: Object.fromEntries(kept),
    ...rest,
    ...(status !== undefined && ours?.['f:status'] !== undefined && { status }),
  } as JsonObject;
}
