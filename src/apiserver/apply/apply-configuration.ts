import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import { badRequest, plainError, StatusError, type StatusCause } from '../../api/status.ts';
import { goQuote } from '../../util/go-quote.ts';
import { cloneJson, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { emptySet, isEmptySet, printPaths, type FieldSet } from './field-set.ts';
import { allowedByLastApplied, refreshLastApplied } from './last-applied.ts';
import { recordChange, schemaOf, stripMeta, withoutManagedFields, type Write } from './managed-fields.ts';
import { decodeOwners, encodeOwners, makeOwner, type Owner, type Owners } from './owner.ts';
import { TypedError } from './typed-value.ts';
import { validateTyped } from './typed-validate.ts';
import { applyFields, OwnershipConflict } from './updater.ts';
import { timestamp } from '../../util/timestamp.ts';

export interface Apply extends Write {
  /** The body of the request: only what the manager has an opinion about. */
  applied: KubeObject;
  force: boolean;
  /** The kind of the resource; without it the kind of `live` is expected. */
  kind?: string;
}

/**
 * Server-side apply: the applied fields laid over the live object, with ownership recorded. The result and its metadata are new, all below is shared with
 * `live` and `applied`; it is not defaulted, and may hold nulls where everything below a field was given up. Throws the StatusError of the real server.
 */
export function applyConfiguration(apply: Apply): KubeObject {
  const { live, applied, force } = apply;
  const owners = decodeLive(live);
  checkKind(apply);
  const before = live === undefined ? (apply.empty ?? {}) : withoutManagedFields(live);
  if (owners.size === 0 && live !== undefined) recordFirst(apply, owners, before);

  if ((applied.metadata as JsonObject | undefined)?.['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  const type = apply.mergeTypeOf(apply.apiVersion);
  if (type === undefined)
    throw plainError(`failed to create typed patch object (${nameOf(applied)}): no corresponding type for ${gvkOf(applied)}`);
  checkTyped(type, applied, before);

  const { next, owners: after } = applyOrConflict(apply, owners, before, type, force);
  const result = { ...(next as unknown as KubeObject) };
  if (result.metadata !== undefined) result.metadata = cloneJson(result.metadata);
  if (apply.manager === 'kubectl') refreshLastApplied(result, applied);
  const entries = encodeOwners(after);
  if (entries !== undefined) (result.metadata ??= {}).managedFields = entries;
  return result;
}

function decodeLive(live: KubeObject | undefined): Owners {
  try {
    return decodeOwners(live?.metadata.managedFields);
  } catch (cause) {
    throw plainError(`failed to decode managed fields: ${(cause as Error).message}`);
  }
}

function gvkOf(obj: { apiVersion?: string; kind?: string }): string {
  const { group, version } = parseApiVersion(obj.apiVersion ?? '');
  return `${group}/${version}, Kind=${obj.kind ?? ''}`;
}

/** An object in messages: `namespace/name; group/version, Kind=kind`. */
export function nameOf(obj: KubeObject): string {
  const { namespace = '', name = '' } = obj.metadata ?? {};
  return `${namespace}/${name}; ${gvkOf(obj)}`;
}

function checkKind({ live, applied, apiVersion, kind = live?.kind }: Apply): void {
  const isExpected = applied.apiVersion === apiVersion && (kind === undefined ? (applied.kind ?? '') !== '' : applied.kind === kind);
  if (!isExpected) throw badRequest(`invalid object type: ${gvkOf(applied)}`);
}

// Whoever made the object before ownership was kept must be somebody, or the first applier would take everything without asking.
function recordFirst(apply: Apply, owners: Owners, before: Json): void {
  const { apiVersion, subresource, now } = apply;
  const time = timestamp(now);
  try {
    recordChange(apply, owners, apply.empty ?? {}, before, {
      manager: 'before-first-apply',
      operation: 'Update',
      apiVersion,
      subresource,
      time,
    });
  } catch (cause) {
    throw plainError(`failed to create manager for existing fields: ${(cause as Error).message}`);
  }
}

function checkTyped(type: MergeType, applied: KubeObject, live: Json): void {
  try {
    validateTyped(type, applied as unknown as Json, live);
  } catch (cause) {
    if (!(cause instanceof TypedError)) throw cause;
    throw plainError(`failed to create typed patch object (${nameOf(applied)}): ${cause.message}`);
  }
}

interface Applied {
  next: Json;
  owners: Owners;
}

function applyOrConflict(apply: Apply, owners: Owners, before: Json, type: MergeType, force: boolean): Applied {
  try {
    return applyOnce(apply, new Map(owners), before, force);
  } catch (error) {
    if (error instanceof TypedError) throw plainError(`failed to merge config: ${error.message}`);
    if (!(error instanceof OwnershipConflict)) throw error;
    const allowed = apply.manager === 'kubectl' ? allowedByLastApplied(apply, type) : undefined;
    const conflicts = pathsInConflict(error, allowed);
    if (conflicts.length > 0) throw conflictError(conflicts);
    return applyOnce(apply, new Map(owners), before, true);
  }
}

function applyOnce(apply: Apply, owners: Owners, before: Json, force: boolean): Applied {
  const { manager, apiVersion, subresource, now } = apply;
  const applier = makeOwner({
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Apply',
    apiVersion,
    subresource,
    time: undefined,
    set: emptySet,
  });
  const next = applyFields(schemaOf(apply), owners, before, apply.applied as unknown as Json, applier, force);
  const mine = owners.get(applier.id);
  if (mine === undefined) return { next, owners };

  const set = stripMeta(mine.set);
  if (isEmptySet(set)) owners.delete(applier.id);
  else owners.set(applier.id, { ...mine, set, time: jsonEqual(before, next) ? mine.time : timestamp(now) });
  return { next, owners };
}

interface PathConflict {
  owner: Owner;
  path: string;
}

function pathsInConflict({ conflicts }: OwnershipConflict, allowed: ((set: FieldSet) => FieldSet) | undefined): PathConflict[] {
  return conflicts
    .toSorted((a, b) => (a.owner.id < b.owner.id ? -1 : 1))
    .flatMap(({ owner, set }) => printPaths(allowed === undefined ? set : allowed(set)).map(path => ({ owner, path })));
}

function conflictError(conflicts: readonly PathConflict[]): StatusError {
  const causes: StatusCause[] = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printOwner(owner)}`,
    field: path,
  }));
  return new StatusError(409, 'Conflict', conflictMessage(conflicts), { causes });
}

function conflictMessage(conflicts: readonly PathConflict[]): string {
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${printOwner(only.owner)}: ${only.path}`;
  const lines: string[] = [];
  let last: Owner | undefined;
  for (const { owner, path } of conflicts) {
    if (owner !== last) lines.push(`conflicts with ${printOwner(owner)}:`);
    lines.push(`- ${path}`);
    last = owner;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function printOwner({ manager, subresource, operation, apiVersion }: Owner): string {
  const name = subresource === '' ? goQuote(manager) : `${goQuote(manager)} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
