import type { FieldError } from '../../../api/field-error.ts';
import { at, invalid, required } from '../../../api/field-error.ts';
import type { EnvFromSource, EnvVar, FileKeySelector } from '../../../api/kubernetes.ts';
import { isConfigMapKey, isDns1123Label, isDns1123Subdomain, isRelaxedEnvVarName } from '../../../api/names.ts';
import { nameProblems } from '../../validation/object-meta.ts';
import { pushInvalid } from './invalid-value.ts';
import { envFieldPaths, validateFieldRef, validateResourceFieldRef } from './validate-field-ref.ts';
import { validateNoBacksteps } from './validate-path.ts';

export function validateEnv(env: readonly EnvVar[], path: string, errors: FieldError[]): void {
  env.forEach((variable, i) => {
    const own = at.index(path, i);
    if (!variable.name) errors.push(required(at.child(own, 'name')));
    else pushInvalid(errors, at.child(own, 'name'), variable.name, isRelaxedEnvVarName(variable.name));
    if (variable.valueFrom) validateValueFrom(variable, at.child(own, 'valueFrom'), errors);
  });
}

function validateValueFrom({ value, valueFrom = {} }: EnvVar, path: string, errors: FieldError[]): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef) errors.push(...validateFieldRef(fieldRef, envFieldPaths, at.child(path, 'fieldRef')));
  if (resourceFieldRef) errors.push(...validateResourceFieldRef(resourceFieldRef, at.child(path, 'resourceFieldRef'), false));
  if (configMapKeyRef) validateKeyRef(configMapKeyRef, at.child(path, 'configMapKeyRef'), errors);
  if (secretKeyRef) validateKeyRef(secretKeyRef, at.child(path, 'secretKeyRef'), errors);
  if (fileKeyRef) validateFileKeyRef(fileKeyRef, at.child(path, 'fileKeyRef'), errors);
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(Boolean).length;
  if (sources === 0)
    errors.push(
      invalid(path, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'),
    );
  else if (value) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (sources > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
}

function validateKeyRef(ref: { name?: string; key: string }, path: string, errors: FieldError[]): void {
  pushInvalid(errors, at.child(path, 'name'), ref.name ?? '', isDns1123Subdomain(ref.name ?? ''));
  if (!ref.key) errors.push(required(at.child(path, 'key')));
  else pushInvalid(errors, at.child(path, 'key'), ref.key, isConfigMapKey(ref.key));
}

function validateFileKeyRef(ref: FileKeySelector, path: string, errors: FieldError[]): void {
  if (!ref.key) errors.push(required(at.child(path, 'key')));
  else pushInvalid(errors, at.child(path, 'key'), ref.key, isRelaxedEnvVarName(ref.key));
  if (!ref.volumeName) errors.push(required(at.child(path, 'volumeName')));
  else pushInvalid(errors, at.child(path, 'volumeName'), ref.volumeName, isDns1123Label(ref.volumeName));
  if (!ref.path) errors.push(required(at.child(path, 'path')));
  else errors.push(...validateNoBacksteps(ref.path, at.child(path, 'path')));
}

export function validateEnvFrom(sources: readonly EnvFromSource[], path: string, errors: FieldError[]): void {
  sources.forEach(({ prefix, configMapRef, secretRef }, i) => {
    const own = at.index(path, i);
    if (prefix) pushInvalid(errors, at.child(own, 'prefix'), prefix, isRelaxedEnvVarName(prefix));
    if (configMapRef) validateSourceName(configMapRef.name, at.child(own, 'configMapRef', 'name'), errors);
    if (secretRef) validateSourceName(secretRef.name, at.child(own, 'secretRef', 'name'), errors);
    if (!configMapRef && !secretRef) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (configMapRef && secretRef) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  });
}

// The real server checks these names as prefixes, so a trailing dash passes.
function validateSourceName(name: string | undefined, path: string, errors: FieldError[]): void {
  if (!name) errors.push(required(path));
  else pushInvalid(errors, path, name, nameProblems('subdomain', name, true));
}
