import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts';
import { jsonEqual, type Json } from '../../util/json.ts';
import type { Strategy } from '../resource.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { capUpdates } from './cap-updates.ts';
import { difference, emptySet, isEmptySet, setOfPaths, union, type FieldSet } from './field-set.ts';
import { decodeOwners, encodeOwners, makeOwner, type Owners } from './owner.ts';
import { takeChangedFields, type Schema } from './updater.ts';
import { timestamp } from '../../util/timestamp.ts';

/** What is common to all writes whose ownership is recorded. */
export interface Write {
  /** Undefined when the write creates the object. */
  live: KubeObject | undefined;
  manager: string;
  /** The version of the request; `live` and the written object are in it. */
  apiVersion: string;
  /** The type of each version of the kind that is still served. */
  mergeTypeOf(apiVersion: string): MergeType | undefined;
  /** '' for the main resource. */
  subresource: string;
  resetFields?: Strategy['resetFields'];
  now: Date;
  /** What a new object of the kind looks like: Go's zero value for built-in kinds (`zeroOfStruct`), nothing for custom resources. */
  empty?: Json;
  convert?(obj: Json, apiVersion: string): Json;
}

const metaPath = (...names: string[]) => ['metadata', ...names].map(name => `f:${name}`);
const neverOwned = setOfPaths([
  ['f:apiVersion'],
  ['f:kind'],
  metaPath(),
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion'].map(
    name => metaPath(name),
  ),
]);

export const stripMeta = (set: FieldSet) => difference(set, neverOwned);

const excludedSets = new WeakMap<object, FieldSet>();

export function schemaOf({ apiVersion, mergeTypeOf, convert, resetFields, subresource }: Write): Schema {
  return { apiVersion, mergeTypeOf, ...(convert && { convert }), excluded: excludedSet(resetFields?.[subresource]) };
}

function excludedSet(paths: readonly (readonly string[])[] | undefined): FieldSet {
  if (paths === undefined || paths.length === 0) return emptySet;
  let set = excludedSets.get(paths);
  if (set === undefined) {
    set = setOfPaths(paths.map(path => path.map(name => `f:${name}`)));
    excludedSets.set(paths, set);
  }
  return set;
}

/** The object without its managedFields, for comparing. The rest is shared. */
export function withoutManagedFields(obj: KubeObject): Json {
  if (obj.metadata?.managedFields === undefined) return obj as unknown as Json;
  const { managedFields: _, ...metadata } = obj.metadata;
  return { ...obj, metadata } as unknown as Json;
}

/**
 * Sets `next.metadata.managedFields` after a create, update or patch: the writer gains what it added or changed, the others lose it.
 * Call with the decoded, defaulted object, before the strategy prepares it. Never throws: ownership that cannot be computed is dropped.
 */
export function recordUpdate(write: Write & { next: KubeObject }): void {
  const { live, next, manager, apiVersion, subresource, now } = write;
  const owners = ownersBefore(live, next, subresource);
  delete next.metadata.managedFields;
  if (owners.size === 0 && live !== undefined) return;

  try {
    recordChange(write, owners, live === undefined ? (write.empty ?? {}) : withoutManagedFields(live), next as unknown as Json, {
      manager: manager === '' ? 'unknown' : manager,
      operation: 'Update',
      apiVersion,
      subresource,
      time: timestamp(now),
    });
  } catch {
    return;
  }
  const entries = encodeOwners(owners);
  if (entries !== undefined) next.metadata.managedFields = shareUnchanged(live?.metadata.managedFields, entries);
}

interface Writer {
  manager: string;
  operation: 'Update';
  apiVersion: string;
  subresource: string;
  time: string;
}

/** Gives the changes between two objects to an updater, and merges the oldest updaters when they are too many. */
export function recordChange(write: Write, owners: Owners, before: Json, after: Json, writer: Writer): void {
  const set = stripMeta(takeChangedFields(schemaOf(write), owners, before, after));
  if (!isEmptySet(set)) {
    const owner = makeOwner({ ...writer, set });
    const previous = owners.get(owner.id);
    owners.set(owner.id, previous === undefined ? owner : { ...owner, set: union(previous.set, set) });
  }
  capUpdates(owners);
}

function ownersBefore(live: KubeObject | undefined, next: KubeObject, subresource: string): Owners {
  const stored = live?.metadata.managedFields;
  const sent = next.metadata.managedFields;
  // A subresource cannot rewrite ownership; a client that does not know managedFields keeps it; nonsense is not believed.
  if (subresource !== '' || sent === undefined || sent === stored || jsonEqual(sent, stored)) return decodeOrNone(stored);
  if (isReset(sent)) return new Map();
  try {
    const owners = decodeOwners(sent);
    return owners.size === 0 ? decodeOrNone(stored) : owners;
  } catch {
    return decodeOrNone(stored);
  }
}

function isReset(entries: readonly ManagedFieldsEntry[] | null): boolean {
  if (entries === null) return false;
  return (
    entries.length === 0 || (entries.length === 1 && Object.values(entries[0] as object).every(value => value === '' || value === null))
  );
}

function decodeOrNone(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  try {
    return decodeOwners(entries);
  } catch {
    return new Map();
  }
}

function shareUnchanged(before: ManagedFieldsEntry[] | undefined, after: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  if (before === undefined || before.length !== after.length) return after;
  return after.every((entry, i) => entry === before[i]) ? before : after;
}
