import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts';
import { jsonEqual } from '../../util/json.ts';
import { withoutManagedFields } from './managed-fields.ts';

/** Whether two objects differ in nothing but the times in managedFields. */
export function isSameButForTimes(a: KubeObject, b: KubeObject): boolean {
  return hasSameOwners(a.metadata.managedFields, b.metadata.managedFields) && jsonEqual(withoutManagedFields(a), withoutManagedFields(b));
}

function hasSameOwners(a: readonly ManagedFieldsEntry[] | undefined, b: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (a === b) return true;
  if ((a?.length ?? 0) !== (b?.length ?? 0)) return false;
  return (a ?? []).every((entry, i) => entry === b?.[i] || jsonEqual({ ...entry, time: undefined }, { ...b?.[i], time: undefined }));
}

/** A write that changed nothing else must not change times either: gives `next` the times of `live` then. Tells whether it did. */
export function keepTimesIfUnchanged(live: KubeObject, next: KubeObject): boolean {
  if (!isSameButForTimes(live, next)) return false;
  if (live.metadata.managedFields !== undefined) next.metadata.managedFields = live.metadata.managedFields;
  return true;
}
