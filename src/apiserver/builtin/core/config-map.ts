import { at, forbidden, invalid, tooLong, type FieldError } from '../../../api/field-error.ts';
import type { ConfigMap } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { jsonEqual } from '../../../util/json.ts';
import { byteLength, isConfigMapKey } from '../../../api/names.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor } from '../kind-parts.ts';

/** Most bytes a ConfigMap or a Secret may hold. */
export const maxDataBytes = 1024 * 1024;
export const immutableWhenSet = 'field is immutable when `immutable` is set';

const asConfigMap = (obj: KubeObject) => obj as unknown as ConfigMap;

/** Bytes that a base64 text stands for. */
export const decodedLength = (base64: string) => {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
};

function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key in data) {
    const path = at.key('data', key);
    errors.push(...invalidFor(path, key, isConfigMapKey(key)));
    if (Object.hasOwn(binaryData, key)) errors.push(invalid(path, key, 'duplicate of key present in binaryData'));
    size += byteLength(data[key] ?? '');
  }
  for (const key in binaryData) {
    errors.push(...invalidFor(at.key('binaryData', key), key, isConfigMapKey(key)));
    size += decodedLength(binaryData[key] ?? '');
  }
  if (size > maxDataBytes) errors.push(tooLong('[]', maxDataBytes));
  return errors;
}

export const configMapKind: BuiltinKind = {
  strategy: {
    validate: obj => validateConfigMap(asConfigMap(obj)),
    validateUpdate(obj, old) {
      const next = asConfigMap(obj);
      const last = asConfigMap(old);
      const errors: FieldError[] = [];
      if (last.immutable) {
        if (!next.immutable) errors.push(forbidden('immutable', immutableWhenSet));
        if (!jsonEqual(next.data ?? {}, last.data ?? {})) errors.push(forbidden('data', immutableWhenSet));
        if (!jsonEqual(next.binaryData ?? {}, last.binaryData ?? {})) errors.push(forbidden('binaryData', immutableWhenSet));
      }
      return [...errors, ...validateConfigMap(next)];
    },
  },
};
