import type { FieldError } from '../../../api/field-error.ts';
import { invalid } from '../../../api/field-error.ts';

const hasBackstep = (path: string) => path.split('/').includes('..');

export function validateNoBacksteps(value: string, path: string): FieldError[] {
  return hasBackstep(value) ? [invalid(path, value, "must not contain '..'")] : [];
}

/** A relative path that stays below its starting point. */
export function validateDescendingPath(value: string, path: string): FieldError[] {
  const errors = value.startsWith('/') ? [invalid(path, value, 'must be a relative path')] : [];
  return [...errors, ...validateNoBacksteps(value, path)];
}

/** A descending path that does not look like the directories a kubelet keeps in a volume. */
export function validateLocalPath(value: string, path: string): FieldError[] {
  const errors = validateDescendingPath(value, path);
  if (value.startsWith('..') && !value.startsWith('../')) errors.push(invalid(path, value, "must not start with '..'"));
  return errors;
}

export const isLocalPath = (value: string) => validateLocalPath(value, '').length === 0;
