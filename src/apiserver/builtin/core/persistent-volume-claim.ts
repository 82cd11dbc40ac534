import { at, forbidden, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { jsonEqual } from '../../../util/json.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../../api/names.ts';
import { fieldIsImmutable, validateImmutableField } from '../../validation/object-meta.ts';
import { compareQuantities, isWholeNumber, nanoUnits } from '../../validation/quantities.ts';
import { validatePositiveQuantity, validateResourceQuantityValue } from '../../validation/resource-list.ts';
import { unifiedDiff } from '../../validation/unified-diff.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, invalidFor, oneOf } from '../kind-parts.ts';
import { validateAccessModes, volumeModes } from './access-modes.ts';

const asClaim = (obj: KubeObject) => obj as unknown as PersistentVolumeClaim;
const specOf = (obj: KubeObject): PersistentVolumeClaimSpec => asClaim(obj).spec ?? {};
const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

type Reference = { apiGroup?: string; kind: string; name: string; namespace?: string };

function validateSource(reference: Reference, path: string, allowAnyGroup: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const group = reference.apiGroup ?? '';
  if (!reference.name) errors.push(required(at.child(path, 'name')));
  if (!reference.kind) errors.push(required(at.child(path, 'kind')));
  if (group === '' && reference.kind !== 'PersistentVolumeClaim')
    errors.push(invalid(path, reference.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  if (group !== '' && !allowAnyGroup) errors.push(...invalidFor(at.child(path, 'apiGroup'), group, isDns1123Subdomain(group)));
  if (reference.namespace)
    errors.push(...invalidFor(at.child(path, 'namespace'), reference.namespace, isDns1123Label(reference.namespace)));
  return errors;
}

export interface ClaimSpecOptions {
  readonly allowInvalidSelectorValues?: boolean;
  readonly allowAnyGroup?: boolean;
}

/** The spec of a claim, also inside templates. */
function validateClaimSpec(spec: PersistentVolumeClaimSpec, path: string, options: ClaimSpecOptions = {}): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec.accessModes ?? []).length === 0) errors.push(required(at.child(path, 'accessModes'), 'at least 1 access mode is required'));
  errors.push(
    ...validateLabelSelector(spec.selector, at.child(path, 'selector'), {
      allowInvalidValues: options.allowInvalidSelectorValues ?? false,
    }),
    ...validateAccessModes(spec.accessModes, at.child(path, 'accessModes')),
  );
  const storage = spec.resources?.requests?.['storage'];
  const storagePath = at.key(at.child(path, 'resources'), 'storage');
  if (storage === undefined) errors.push(required(storagePath));
  else {
    const positive = validatePositiveQuantity(storage, storagePath);
    errors.push(...(positive.length > 0 ? positive : validateResourceQuantityValue('storage', storage, storagePath)));
  }
  if (spec.storageClassName)
    errors.push(...invalidFor(at.child(path, 'storageClassName'), spec.storageClassName, isDns1123Subdomain(spec.storageClassName)));
  if (spec.volumeMode !== undefined && !oneOf(spec.volumeMode, volumeModes))
    errors.push(notSupported(at.child(path, 'volumeMode'), spec.volumeMode, volumeModes));
  return [...errors, ...validateSources(spec, path, options.allowAnyGroup ?? false)];
}

function validateSources(spec: PersistentVolumeClaimSpec, path: string, allowAnyGroup: boolean): FieldError[] {
  const { dataSource, dataSourceRef, volumeAttributesClassName } = spec;
  const errors: FieldError[] = [];
  if (dataSource) errors.push(...validateSource(dataSource, at.child(path, 'dataSource'), allowAnyGroup));
  if (dataSourceRef) errors.push(...validateSource(dataSourceRef, at.child(path, 'dataSourceRef'), allowAnyGroup));
  // The value in these two messages is Go's path object, which prints as an empty struct.
  if (dataSourceRef?.namespace) {
    if (dataSource) errors.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  } else if (dataSource && dataSourceRef) {
    const same = (['apiGroup', 'kind', 'name'] as const).every(field => dataSource[field] === dataSourceRef[field]);
    if (!same) errors.push(invalid(path, {}, 'must match dataSourceRef'));
  }
  if (volumeAttributesClassName)
    errors.push(
      ...invalidFor(at.child(path, 'volumeAttributesClassName'), volumeAttributesClassName, isDns1123Subdomain(volumeAttributesClassName)),
    );
  return errors;
}

// Go prints the internal struct with all of its fields.
const printedReference = (reference: Reference | undefined, hasNamespace: boolean) =>
  reference
    ? {
        APIGroup: reference.apiGroup ?? null,
        Kind: reference.kind,
        Name: reference.name,
        ...(hasNamespace && { Namespace: reference.namespace ?? null }),
      }
    : null;
const printedSpec = (spec: PersistentVolumeClaimSpec) =>
  JSON.stringify(
    {
      AccessModes: spec.accessModes ?? null,
      Selector: spec.selector ?? null,
      Resources: { Limits: spec.resources?.limits ?? null, Requests: spec.resources?.requests ?? null },
      VolumeName: spec.volumeName ?? '',
      StorageClassName: spec.storageClassName ?? null,
      VolumeMode: spec.volumeMode ?? null,
      DataSource: printedReference(spec.dataSource, false),
      DataSourceRef: printedReference(spec.dataSourceRef, true),
      VolumeAttributesClassName: spec.volumeAttributesClassName ?? null,
    },
    undefined,
    1,
  );

// What may differ between the stored and the new spec is made equal first; anything left is a change that is not allowed.
function comparableSpecs(obj: KubeObject, old: KubeObject): { next: PersistentVolumeClaimSpec; last: PersistentVolumeClaimSpec } {
  const next = { ...specOf(obj) };
  const last = { ...specOf(old) };
  if (!last.volumeName && next.volumeName !== undefined) last.volumeName = next.volumeName;
  if (upgradesFromAnnotation(obj, old)) delete next.storageClassName;
  else {
    const annotated = old.metadata.annotations?.[storageClassAnnotation];
    const isUpgrade = next.storageClassName !== undefined && last.storageClassName === undefined;
    if (isUpgrade && (annotated === undefined || next.storageClassName === annotated)) delete next.storageClassName;
  }
  if (asClaim(obj).status?.phase !== 'Bound') return { next, last };
  const size = last.resources?.requests?.['storage'];
  if (next.resources?.requests && size !== undefined)
    next.resources = { ...next.resources, requests: { ...next.resources.requests, storage: size } };
  delete next.volumeAttributesClassName;
  if (last.volumeAttributesClassName !== undefined) next.volumeAttributesClassName = last.volumeAttributesClassName;
  return { next, last };
}

function upgradesFromAnnotation(obj: KubeObject, old: KubeObject): boolean {
  const annotated = old.metadata.annotations?.[storageClassAnnotation];
  const still = obj.metadata.annotations?.[storageClassAnnotation];
  return (
    annotated !== undefined &&
    specOf(old).storageClassName === undefined &&
    specOf(obj).storageClassName === annotated &&
    (still === undefined || still === annotated)
  );
}

function validateChange(obj: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const spec = specOf(obj);
  const oldSpec = specOf(old);
  const annotation = obj.metadata.annotations?.[storageClassAnnotation] ?? '';
  if (!upgradesFromAnnotation(obj, old) && annotation !== (old.metadata.annotations?.[storageClassAnnotation] ?? ''))
    errors.push(invalid(at.child('metadata.annotations', storageClassAnnotation), annotation, fieldIsImmutable));
  const { next, last } = comparableSpecs(obj, old);
  if (printedSpec(next) !== printedSpec(last) && !jsonEqual(JSON.parse(printedSpec(next)), JSON.parse(printedSpec(last))))
    errors.push(
      forbidden(
        'spec',
        `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${unifiedDiff(printedSpec(last), printedSpec(next))}`,
      ),
    );
  const size = spec.resources?.requests?.['storage'];
  const sizePath = 'spec.resources.requests.storage';
  if (
    compareQuantities(size, oldSpec.resources?.requests?.['storage']) < 0 &&
    compareQuantities(size, asClaim(old).status?.capacity?.['storage']) <= 0
  )
    errors.push(forbidden(sizePath, 'field can not be less than status.capacity'));
  errors.push(...validateImmutableField(spec.volumeMode, oldSpec.volumeMode, 'volumeMode'));
  const attributes = spec.volumeAttributesClassName;
  const isChanged = attributes !== oldSpec.volumeAttributesClassName;
  if (isChanged && asClaim(old).status?.currentVolumeAttributesClassName !== undefined && !attributes)
    errors.push(
      forbidden(
        'spec.volumeAttributesClassName',
        `update to ${attributes === undefined ? 'nil' : 'empty string'} is forbidden when status.currentVolumeAttributesClassName is not nil`,
      ),
    );
  return errors;
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

function validateResourceKey(name: string, path: string): FieldError[] {
  const errors = invalidFor(path, name, isQualifiedName(name));
  const isNative = !name.includes('/') || name.includes('kubernetes.io/');
  return errors.length === 0 && isNative && name !== 'storage' ? [notSupported(path, name, ['storage'])] : errors;
}

const validateBasic = (amount: string | number, path: string): FieldError[] => {
  const units = nanoUnits(amount);
  return units < 0n ? [invalid(path, Number(units / 1_000_000_000n), 'must be a valid resource quantity')] : [];
};

function validateStatus(obj: KubeObject): FieldError[] {
  const { status = {} } = asClaim(obj);
  const errors: FieldError[] = [];
  if ((specOf(obj).accessModes ?? []).length === 0) errors.push(required('Spec.accessModes'));
  for (const [name, amount] of Object.entries(status.capacity ?? {}))
    errors.push(...validateBasic(amount, at.key('status.capacity', name)));
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    errors.push(...validateResourceKey(name, 'status.allocatedResourceStatuses'));
    if (!oneOf(state, resizeStatuses)) errors.push(notSupported('status.allocatedResourceStatuses', name, resizeStatuses));
  }
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    const path = at.key('status.allocatedResources', name);
    const keyErrors = validateResourceKey(name, 'status.allocatedResources');
    const basic = validateBasic(amount, path);
    errors.push(...(keyErrors.length > 0 ? keyErrors : basic.length > 0 ? basic : validateResourceQuantityValue('storage', amount, path)));
  }
  return errors;
}

// dataSource and dataSourceRef say the same in two ways; only claims and snapshots may be named by the older one.
function normalizeSources(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec | undefined): void {
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef;
  const isInUse = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  const { dataSource } = spec;
  const group = dataSource?.apiGroup ?? '';
  const isKnown =
    (dataSource?.kind === 'PersistentVolumeClaim' && group === '') ||
    (dataSource?.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io');
  if (!isInUse && !spec.dataSourceRef && !isKnown) delete spec.dataSource;
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { apiGroup, kind, name } = spec.dataSourceRef;
    spec.dataSource = { ...(apiGroup !== undefined && { apiGroup }), kind, name };
  }
}

function warnings(obj: KubeObject): string[] {
  const found: string[] = [];
  if (storageClassAnnotation in (obj.metadata.annotations ?? {}))
    found.push(
      `${at.key('metadata.annotations', storageClassAnnotation)}: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  for (const list of ['requests', 'limits'] as const) {
    const amount = specOf(obj).resources?.[list]?.['storage'];
    if (amount !== undefined && !isWholeNumber(amount))
      found.push(`spec.resources.${list}[storage]: fractional byte value ${JSON.stringify(String(amount))} is invalid, must be an integer`);
  }
  return found;
}

export const persistentVolumeClaimKind: BuiltinKind = {
  setDefaults(obj) {
    const claim = asClaim(obj);
    claim.status ??= {};
    claim.status.phase ||= 'Pending';
    (claim.spec ??= {}).volumeMode ??= 'Filesystem';
  },
  strategy: {
    hasStatus: true,
    returnsDeletedObject: true,
    isCompletedOnRead: true,
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj) {
      // The server empties the status; storing it gives the phase its default again.
      asClaim(obj).status = { phase: 'Pending' };
      normalizeSources(specOf(obj), undefined);
    },
    prepareForUpdate(obj, old) {
      carryOver(obj, old, 'status');
      normalizeSources(specOf(obj), specOf(old));
    },
    prepareForStatusUpdate: (obj, old) => carryOver(obj, old, 'spec'),
    validate: obj => validateClaimSpec(specOf(obj), 'spec'),
    validateUpdate(obj, old) {
      const oldSpec = specOf(old);
      const options = {
        allowAnyGroup: typeof (oldSpec.dataSource?.apiGroup ?? oldSpec.dataSourceRef?.apiGroup) === 'string',
        allowInvalidSelectorValues: validateLabelSelector(oldSpec.selector, '').length > 0,
      };
      return [...validateClaimSpec(specOf(obj), 'spec', options), ...validateChange(obj, old)];
    },
    validateStatusUpdate: validateStatus,
    warningsOnCreate: warnings,
    warningsOnUpdate: (obj, _old, ctx) => (ctx.subresource === 'status' ? [] : warnings(obj)),
  },
};
