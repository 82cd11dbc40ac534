import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid, notSupported, required } from '../../../api/field-error.ts';
import type { PersistentVolumeClaimSpec, PersistentVolumeClaimTemplate, TypedObjectReference } from '../../../api/kubernetes.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../../api/names.ts';
import { validateAnnotations, validateLabels } from '../../validation/object-meta.ts';
import { pushInvalid } from './invalid-value.ts';
import { validateResourceQuantity } from './pod-resources.ts';
import { compareQuantities, formatQuantity, isWholeNumber } from '../../validation/quantities.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const volumeModes = ['Block', 'Filesystem'];
const allowedMetadata = new Set(['labels', 'annotations']);

/** A claim that a pod makes for itself. */
export function validateClaimTemplate(template: PersistentVolumeClaimTemplate, path: string): FieldError[] {
  const metaPath = at.child(path, 'metadata');
  const meta = template.metadata ?? {};
  const errors = [
    ...validateAnnotations(meta.annotations, at.child(metaPath, 'annotations')),
    ...validateLabels(meta.labels, at.child(metaPath, 'labels')),
  ];
  for (const name in meta)
    if (!allowedMetadata.has(name)) errors.push(forbidden(at.child(metaPath, name === 'uid' ? 'uID' : name), 'cannot be set'));
  return [...errors, ...validateClaimSpec(template.spec ?? {}, at.child(path, 'spec'))];
}

/** The rules of a new claim's spec, wherever it stands. */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const modesPath = at.child(path, 'accessModes');
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) errors.push(required(modesPath, 'at least 1 access mode is required'));
  if (spec.selector) errors.push(...validateLabelSelector(spec.selector, at.child(path, 'selector')));
  for (const mode of modes) if (!accessModes.includes(mode)) errors.push(notSupported(modesPath, mode, accessModes));
  const isExclusive = modes.includes('ReadWriteOncePod');
  if (isExclusive && modes.some(mode => mode !== 'ReadWriteOncePod' && accessModes.includes(mode)))
    errors.push(forbidden(modesPath, 'may not use ReadWriteOncePod with other access modes'));
  validateStorageRequest(spec, at.key(at.child(path, 'resources'), 'storage'), errors);
  if (spec.storageClassName)
    pushInvalid(errors, at.child(path, 'storageClassName'), spec.storageClassName, isDns1123Subdomain(spec.storageClassName));
  if (spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode))
    errors.push(notSupported(at.child(path, 'volumeMode'), spec.volumeMode, volumeModes));
  if (spec.dataSource) errors.push(...validateDataSource(spec.dataSource, at.child(path, 'dataSource')));
  if (spec.dataSourceRef) errors.push(...validateDataSource(spec.dataSourceRef, at.child(path, 'dataSourceRef')));
  validateSourcesAgree(spec, path, errors);
  const attributes = spec.volumeAttributesClassName;
  if (attributes) pushInvalid(errors, at.child(path, 'volumeAttributesClassName'), attributes, isDns1123Subdomain(attributes));
  return errors;
}

function validateStorageRequest(spec: PersistentVolumeClaimSpec, path: string, errors: FieldError[]): void {
  const storage = spec.resources?.requests?.['storage'];
  if (storage === undefined) errors.push(required(path));
  else if (compareQuantities(storage, '0') <= 0) errors.push(invalid(path, formatQuantity(storage), 'must be greater than zero'));
  else validateResourceQuantity('storage', storage, path, errors);
}

function validateDataSource(source: TypedObjectReference, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { kind, name, namespace } = source;
  // Go prints an absent group as null.
  const apiGroup = source.apiGroup ?? '';
  if (!name) errors.push(required(at.child(path, 'name')));
  if (!kind) errors.push(required(at.child(path, 'kind')));
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim')
    errors.push(invalid(path, kind ?? '', "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  if (apiGroup !== '') pushInvalid(errors, at.child(path, 'apiGroup'), apiGroup, isDns1123Subdomain(apiGroup));
  if (namespace) pushInvalid(errors, at.child(path, 'namespace'), namespace, isDns1123Label(namespace));
  return errors;
}

function validateSourcesAgree({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec, path: string, errors: FieldError[]): void {
  if (!dataSource || !dataSourceRef) return;
  // The real server prints the whole path object here, whose fields are all private.
  const shown = {};
  if (dataSourceRef.namespace) {
    errors.push(invalid(path, shown, 'may not be specified when dataSourceRef.namespace is specified'));
    return;
  }
  const same =
    (dataSource.apiGroup ?? '') === (dataSourceRef.apiGroup ?? '') &&
    dataSource.kind === dataSourceRef.kind &&
    dataSource.name === dataSourceRef.name;
  if (!same) errors.push(invalid(path, shown, 'must match dataSourceRef'));
}

export function warningsForClaimSpec(spec: PersistentVolumeClaimSpec, path: string): string[] {
  const warnings: string[] = [];
  for (const which of ['requests', 'limits'] as const) {
    const storage = spec.resources?.[which]?.['storage'];
    if (storage === undefined || isWholeNumber(storage)) continue;
    const storagePath = at.key(at.child(path, 'resources', which), 'storage');
    warnings.push(`${storagePath}: fractional byte value ${JSON.stringify(formatQuantity(storage))} is invalid, must be an integer`);
  }
  return warnings;
}
