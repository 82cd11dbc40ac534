import type { Json } from '../../util/json.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { difference, emptySet, intersection, isEmptySet, isSubset, recursiveDifference, union, type FieldSet } from './field-set.ts';
import { withSet, type Owner, type Owners } from './owner.ts';
import { compareTyped, excludeFields, isSame, type Comparison } from './typed-compare.ts';
import { mergeTyped, removeFields } from './typed-merge.ts';
import { fieldsOf, reconcileWithSchema, withNamedFields } from './typed-set.ts';

/** What ownership is computed against: the types of all versions, and how to get from one to another. */
export interface Schema {
  /** The version of the request. */
  readonly apiVersion: string;
  mergeTypeOf(apiVersion: string): MergeType | undefined;
  /** Left out, a version is taken to have the fields of the request's version. */
  convert?(obj: Json, apiVersion: string): Json;
  /** Fields this request neither changes nor owns. */
  readonly excluded: FieldSet;
}

/** Somebody else owns what an apply would change. One set of fields per owner. */
export class OwnershipConflict extends Error {
  readonly conflicts: readonly { owner: Owner; set: FieldSet }[];
  constructor(conflicts: readonly { owner: Owner; set: FieldSet }[]) {
    super('fields are owned by others');
    this.conflicts = conflicts;
  }
}

function typeOf(schema: Schema): MergeType {
  const type = schema.mergeTypeOf(schema.apiVersion);
  if (type === undefined) throw new Error(`no corresponding type for ${schema.apiVersion}`);
  return type;
}

const inVersion = (schema: Schema, obj: Json, apiVersion: string) =>
  apiVersion === schema.apiVersion || schema.convert === undefined ? obj : schema.convert(obj, apiVersion);

/**
 * The fields a write by somebody new gives them. Everybody else in `owners` loses what changed or went away, in place.
 * Owners of versions that are gone are dropped.
 */
export function takeChangedFields(schema: Schema, owners: Owners, live: Json, next: Json): FieldSet {
  reconcileOwners(schema, owners);
  const comparison = excludeFields(compareTyped(typeOf(schema), live, next), schema.excluded);
  if (isSame(comparison) && schema.convert === undefined) return emptySet;
  redistribute(schema, { owners, live, next, comparison, self: undefined, force: true });
  return recursiveDifference(union(comparison.modified, comparison.added), schema.excluded);
}

function reconcileOwners(schema: Schema, owners: Owners): void {
  for (const owner of owners.values()) {
    const type = schema.mergeTypeOf(owner.apiVersion);
    if (type === undefined || isEmptySet(owner.set)) owners.delete(owner.id);
    else owners.set(owner.id, withSet(owner, reconcileWithSchema(owner.set, type)));
  }
}

interface Change {
  owners: Owners;
  live: Json;
  next: Json;
  comparison: Comparison;
  self: string | undefined;
  force: boolean;
}

function redistribute(schema: Schema, { owners, live, next, comparison, self, force }: Change): void {
  const byVersion = new Map<string, { changed: FieldSet; removed: FieldSet }>();
  const changesIn = (apiVersion: string) => {
    const known = byVersion.get(apiVersion);
    if (known !== undefined) return known;
    let c = comparison;
    if (apiVersion !== schema.apiVersion && schema.convert !== undefined) {
      const type = schema.mergeTypeOf(apiVersion) as MergeType;
      c = excludeFields(compareTyped(type, schema.convert(live, apiVersion), schema.convert(next, apiVersion)), schema.excluded);
    }
    const changes = { changed: union(c.modified, c.added), removed: c.removed };
    byVersion.set(apiVersion, changes);
    return changes;
  };

  const conflicts: { owner: Owner; set: FieldSet }[] = [];
  const losses: { owner: Owner; set: FieldSet }[] = [];
  for (const owner of owners.values()) {
    if (owner.id === self) continue;
    const { changed, removed } = changesIn(owner.apiVersion);
    const conflict = intersection(owner.set, changed);
    if (!isEmptySet(conflict)) conflicts.push({ owner, set: conflict });
    const rest = difference(difference(owner.set, conflict), removed);
    if (rest !== owner.set) losses.push({ owner, set: rest });
  }
  if (!force && conflicts.length > 0) throw new OwnershipConflict(conflicts);
  for (const { owner, set } of losses) {
    if (isEmptySet(set)) owners.delete(owner.id);
    else owners.set(owner.id, withSet(owner, set));
  }
}

/**
 * Lays `config` over `live` and gives its fields to `applier`, which names the new owner (its set is not looked at).
 * Fields of the applier's last configuration that nobody owns any more go away. Changes `owners`.
 */
export function applyFields(schema: Schema, owners: Owners, live: Json, config: Json, applier: Owner, force: boolean): Json {
  reconcileOwners(schema, owners);
  const type = typeOf(schema);
  const last = owners.get(applier.id);
  const set = recursiveDifference(fieldsOf(type, config), schema.excluded);
  owners.set(applier.id, withSet({ ...applier, time: last?.time }, set));
  const merged = mergeTyped(type, live, config) as Json;
  const next = last === undefined || isSettled(schema, last, set) ? merged : prune(schema, owners, merged, last);
  const comparison = excludeFields(compareTyped(type, live, next), schema.excluded);
  redistribute(schema, { owners, live, next, comparison, self: applier.id, force });
  if (isEmptySet(set)) owners.delete(applier.id);
  return next;
}

const isSettled = (schema: Schema, last: Owner, set: FieldSet) =>
  isEmptySet(last.set) || (last.apiVersion === schema.apiVersion && isSubset(last.set, set));

function prune(schema: Schema, owners: Owners, merged: Json, last: Owner): Json {
  const type = schema.mergeTypeOf(last.apiVersion);
  if (type === undefined) return merged;
  const whole = inVersion(schema, merged, last.apiVersion);
  const lastNamed = withNamedFields(last.set, type);
  const left = keepOwned(schema, owners, { whole, pruned: removeFields(type, whole, lastNamed), apiVersion: last.apiVersion });

  // Only what the applier had before may go; whatever else was taken away with its parents comes back.
  const gone = difference(withNamedFields(fieldsOf(type, whole), type), withNamedFields(fieldsOf(type, left), type));
  const result = removeFields(type, whole, intersection(gone, lastNamed));
  return last.apiVersion === schema.apiVersion || schema.convert === undefined ? result : schema.convert(result, schema.apiVersion);
}

/** Puts back what somebody still owns, first in the version that was pruned, so that conversions find what they need. */
function keepOwned(schema: Schema, owners: Owners, start: { whole: Json; pruned: Json; apiVersion: string }): Json {
  const managed = new Map<string, FieldSet>([[start.apiVersion, emptySet]]);
  for (const owner of owners.values()) {
    const version = schema.convert === undefined ? start.apiVersion : owner.apiVersion;
    managed.set(version, union(managed.get(version) ?? emptySet, owner.set));
  }
  let { whole, pruned } = start;
  let version = start.apiVersion;
  for (const [apiVersion, set] of managed) {
    const type = schema.mergeTypeOf(apiVersion);
    if (type === undefined || (isEmptySet(set) && apiVersion !== start.apiVersion)) continue;
    if (apiVersion !== version && schema.convert !== undefined) {
      whole = schema.convert(whole, apiVersion);
      pruned = schema.convert(pruned, apiVersion);
      version = apiVersion;
    }
    const kept = union(withNamedFields(fieldsOf(type, pruned), type), withNamedFields(set, type));
    pruned = removeFields(type, whole, difference(withNamedFields(fieldsOf(type, whole), type), kept));
  }
  return version === start.apiVersion || schema.convert === undefined ? pruned : schema.convert(pruned, start.apiVersion);
}
