import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid, required } from '../../../api/field-error.ts';
import type {
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  VolumeProjection,
} from '../../../api/kubernetes.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { validateFieldRef, validateResourceFieldRef, volumeFieldPaths } from './validate-field-ref.ts';
import { validateLocalPath } from './validate-path.ts';
import { validateFileMode, validateKeyToPath } from './validate-volumes.ts';

export function validateDownwardApiVolume(source: DownwardAPIVolumeSource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  validateFileMode(source.defaultMode, at.child(path, 'defaultMode'), errors);
  for (const file of source.items ?? []) errors.push(...validateDownwardApiFile(file, path));
  return errors;
}

function validateDownwardApiFile(file: DownwardAPIVolumeFile, path: string): FieldError[] {
  const errors = file.path ? [] : [required(at.child(path, 'path'))];
  errors.push(...validateLocalPath(file.path ?? '', at.child(path, 'path')));
  if (file.fieldRef) {
    errors.push(...validateFieldRef(file.fieldRef, volumeFieldPaths, at.child(path, 'fieldRef')));
    if (file.resourceFieldRef) errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (file.resourceFieldRef)
    errors.push(...validateResourceFieldRef(file.resourceFieldRef, at.child(path, 'resourceFieldRef'), true));
  else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  validateFileMode(file.mode, at.child(path, 'mode'), errors);
  return errors;
}

export function validateProjectedVolume(volume: ProjectedVolumeSource, path: string, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  validateFileMode(volume.defaultMode, at.child(path, 'defaultMode'), errors);
  const taken = new Set<string>();
  (volume.sources ?? []).forEach((source, i) => validateSource(source, i, path, opts, taken, errors));
  return errors;
}

function validateSource(
  source: VolumeProjection,
  i: number,
  path: string,
  opts: PodValidationOptions,
  taken: Set<string>,
  errors: FieldError[],
): void {
  const sourcePath = at.index(at.child(path, 'sources'), i);
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  const claimPath = (used: string, shown: string) => {
    if (used === '') return;
    if (taken.has(used)) errors.push(invalid(path, shown, 'conflicting duplicate paths'));
    taken.add(used);
  };
  const keyed = (name: string, holder: { name?: string; items?: KeyToPath[] }) => {
    const ownPath = at.child(sourcePath, name);
    if (!holder.name) errors.push(required(at.child(ownPath, 'name')));
    (holder.items ?? []).forEach((item, j) => {
      errors.push(...validateKeyToPath(item, at.index(at.child(ownPath, 'items'), j)));
      claimPath(item.path ?? '', holder.name ?? '');
    });
  };
  if (secret) keyed('secret', secret);
  if (configMap) keyed('configMap', configMap);
  for (const file of downwardAPI?.items ?? []) {
    errors.push(...validateDownwardApiFile(file, at.child(sourcePath, 'downwardAPI')));
    claimPath(file.path ?? '', file.path ?? '');
  }
  if (serviceAccountToken) {
    const expiryPath = at.child(sourcePath, 'serviceAccountToken', 'expirationSeconds');
    const seconds = serviceAccountToken.expirationSeconds ?? 0;
    if (seconds < 600) errors.push(invalid(expiryPath, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > 2 ** 32) errors.push(invalid(expiryPath, seconds, 'may not specify a duration larger than 2^32 seconds'));
    if (!serviceAccountToken.path) errors.push(required(at.child(path, 'path')));
    else if (!opts.allowNonLocalTokenPath) errors.push(...validateLocalPath(serviceAccountToken.path, at.child(path, 'path')));
  }
  const given = [secret, configMap, downwardAPI, serviceAccountToken].filter(Boolean).length;
  if (given > 1) errors.push(forbidden(sourcePath, 'may not specify more than 1 volume type per source'));
}
