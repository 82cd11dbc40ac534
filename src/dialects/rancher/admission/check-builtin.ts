import { forbidden, type FieldError } from '../../../api/field-error.ts';
import type { GlobalRole, RoleTemplate } from '../kinds/role.ts';
import { changedFields } from './changed-fields.ts';

/** Nobody makes a role that came with the hub, and of those that did little can be changed. */
export function builtinFaults(
  old: GlobalRole | RoleTemplate | undefined,
  next: GlobalRole | RoleTemplate,
  free: readonly string[],
): FieldError[] {
  if (!old) return next.builtin ? [forbidden('builtin', 'only the hub itself makes built-in roles')] : [];
  const changed = changedFields(old, next);
  if (changed.includes('builtin')) return [forbidden('builtin', 'field is immutable')];
  if (!old.builtin) return [];
  return changed.filter(field => !free.includes(field)).map(field => forbidden(field, 'cannot be changed in a built-in role'));
}
