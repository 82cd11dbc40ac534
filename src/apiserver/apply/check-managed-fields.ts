import { at, invalid, tooLong, type FieldError } from '../../api/field-error.ts';
import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts';
import { jsonEqual } from '../../util/json.ts';
import { withoutManagedFields } from './managed-fields.ts';
import { decodeOwners } from './owner.ts';

const maxManagerBytes = 128;
const maxSubresourceBytes = 256;
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** What validation of `metadata.managedFields` finds. */
export function validateManagedFields(entries: readonly ManagedFieldsEntry[] | undefined, path = 'metadata.managedFields'): FieldError[] {
  if (!entries) return [];
  return entries.flatMap((entry, i) => validateEntry(entry, at.index(path, i)));
}

function validateEntry({ operation, fieldsType, manager = '', subresource = '' }: ManagedFieldsEntry, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operation !== 'Apply' && operation !== 'Update')
    errors.push(invalid(at.child(path, 'operation'), operation ?? '', 'must be `Apply` or `Update`'));
  if (fieldsType !== undefined && fieldsType !== '' && fieldsType !== 'FieldsV1')
    errors.push(invalid(at.child(path, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
  errors.push(...validateFieldManager(manager, at.child(path, 'manager')));
  if (Buffer.byteLength(subresource) > maxSubresourceBytes) errors.push(tooLong(at.child(path, 'subresource'), maxSubresourceBytes));
  return errors;
}

/** Also for the `fieldManager` option. */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > maxManagerBytes) errors.push(tooLong(path, maxManagerBytes));
  if (unprintable.test(manager)) errors.push(invalid(path, manager, 'should only contain printable characters'));
  return errors;
}

/** Why the entries cannot be read, for the warning after mutating admission; undefined when they can. */
export function managedFieldsProblem(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  try {
    decodeOwners(entries);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

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
