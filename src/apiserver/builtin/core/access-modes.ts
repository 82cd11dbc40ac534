import { forbidden, notSupported, type FieldError } from '../../../api/field-error.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

export function validateAccessModes(modes: readonly string[] | undefined, path: string): FieldError[] {
  const list = modes ?? [];
  const errors = list.filter(mode => !accessModes.includes(mode)).map(mode => notSupported(path, mode, accessModes));
  const isShared = list.some(mode => mode !== 'ReadWriteOncePod' && accessModes.includes(mode));
  if (list.includes('ReadWriteOncePod') && isShared) errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  return errors;
}
