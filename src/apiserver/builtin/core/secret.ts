import { at, forbidden, invalid, required, tooLong, type FieldError } from '../../../api/field-error.ts';
import type { Secret } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { jsonEqual } from '../../../util/json.ts';
import { isConfigMapKey } from '../../../api/names.ts';
import { fieldIsImmutable } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor } from '../kind-parts.ts';
import { decodedLength, immutableWhenSet, maxDataBytes } from './config-map.ts';
import { keyPairProblem } from './key-pair.ts';

const asSecret = (obj: KubeObject) => obj as unknown as Secret;
const decode = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString();

function validateSecret(secret: Secret): FieldError[] {
  const errors: FieldError[] = [];
  const data = secret.data ?? {};
  let size = 0;
  for (const key in data) {
    errors.push(...invalidFor(at.key('data', key), key, isConfigMapKey(key)));
    size += decodedLength(data[key] ?? '');
  }
  if (size > maxDataBytes) errors.push(tooLong('data', maxDataBytes));
  return [...errors, ...validateType(secret, data)];
}

function validateType(secret: Secret, data: Record<string, string>): FieldError[] {
  const missing = (key: string) => required(at.key('data', key));
  switch (secret.type) {
    case 'kubernetes.io/service-account-token': {
      const annotation = 'kubernetes.io/service-account.name';
      return secret.metadata?.annotations?.[annotation] ? [] : [required(at.key('metadata.annotations', annotation))];
    }
    case 'kubernetes.io/dockercfg':
      return validateDockerConfig('.dockercfg', data);
    case 'kubernetes.io/dockerconfigjson':
      return validateDockerConfig('.dockerconfigjson', data);
    case 'kubernetes.io/basic-auth':
      return 'username' in data || 'password' in data ? [] : [missing('username'), missing('password')];
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [missing('ssh-privatekey')];
    case 'kubernetes.io/tls':
      return ['tls.crt', 'tls.key'].filter(key => !Object.hasOwn(data, key)).map(missing);
    default:
      return [];
  }
}

function validateDockerConfig(key: string, data: Record<string, string>): FieldError[] {
  const path = at.key('data', key);
  if (!Object.hasOwn(data, key)) return [required(path)];
  const problem = jsonObjectProblem(decode(data[key]));
  return problem === undefined ? [] : [invalid(path, '<secret contents redacted>', problem)];
}

// The words of Go's decoder for the mistakes people make; deeper syntax errors share one text.
function jsonObjectProblem(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return 'unexpected end of JSON input';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const first = trimmed[0] ?? '';
    if (!'{["-0123456789tfn'.includes(first)) return `invalid character '${first}' looking for beginning of value`;
    return 'unexpected end of JSON input';
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}

function warningsForSecret(obj: KubeObject): string[] {
  const { type, data = {} } = asSecret(obj);
  if (type !== 'kubernetes.io/tls') return [];
  const problem = keyPairProblem(decode(data['tls.crt']), decode(data['tls.key']));
  return problem === undefined ? [] : [problem];
}

export const secretKind: BuiltinKind = {
  setDefaults(obj) {
    const secret = asSecret(obj);
    secret.type ||= 'Opaque';
    if (secret.stringData === undefined) return;
    const written = Object.entries(secret.stringData);
    if (written.length > 0) {
      const encoded = written.map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
      secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
    }
    delete secret.stringData;
  },
  selectableFields: { type: obj => asSecret(obj).type ?? '' },
  strategy: {
    validate: obj => validateSecret(asSecret(obj)),
    validateUpdate(obj, old) {
      const next = asSecret(obj);
      const last = asSecret(old);
      const errors: FieldError[] = [];
      if (next.type !== last.type) errors.push(invalid('type', next.type ?? '', fieldIsImmutable));
      if (last.immutable) {
        if (!next.immutable) errors.push(forbidden('immutable', immutableWhenSet));
        if (!jsonEqual(next.data ?? {}, last.data ?? {})) errors.push(forbidden('data', immutableWhenSet));
      }
      return [...errors, ...validateSecret(next)];
    },
    warningsOnCreate: warningsForSecret,
    warningsOnUpdate: warningsForSecret,
  },
};
