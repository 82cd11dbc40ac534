import { at, forbidden, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isDns1123Subdomain } from '../../../api/names.ts';
import { semanticEqual, validateImmutableField } from '../../validation/object-meta.ts';
import { nanoUnits } from '../../validation/quantities.ts';
import { validatePositiveQuantity } from '../../validation/resource-list.ts';
import { unifiedDiff } from '../../validation/unified-diff.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, invalidFor, oneOf } from '../kind-parts.ts';
import { validateAccessModes, volumeModes } from './access-modes.ts';
import { validateNodeSelector } from './node-selector.ts';
import { validateVolumeSources, volumeSourceFields } from './volume-sources.ts';
import { timestamp } from '../../../util/timestamp.ts';

const asVolume = (obj: KubeObject) => obj as unknown as PersistentVolume;
const specOf = (obj: KubeObject): PersistentVolumeSpec => asVolume(obj).spec ?? {};
const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];
const mountableSources = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

function validateCapacity(spec: PersistentVolumeSpec): FieldError[] {
  const capacity = spec.capacity ?? {};
  const errors: FieldError[] = [];
  const path = 'spec.capacity';
  const names = Object.keys(capacity);
  if (names.length === 0) errors.push(required(path));
  if (!('storage' in capacity) || names.length > 1) errors.push(notSupported(path, spec.capacity ?? null, ['storage']));
  for (const [name, amount] of Object.entries(capacity)) {
    const units = nanoUnits(amount);
    if (units < 0n) errors.push(invalid(at.key(path, name), Number(units / 1_000_000_000n), 'must be a valid resource quantity'));
    errors.push(...validatePositiveQuantity(amount, at.key(path, name)));
  }
  return errors;
}

function validateVolume(obj: KubeObject): FieldError[] {
  const spec = specOf(obj);
  const errors = [
    ...((spec.accessModes ?? []).length === 0 ? [required('spec.accessModes')] : []),
    ...validateAccessModes(spec.accessModes, 'spec.accessModes'),
    ...validateCapacity(spec),
  ];
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  if (policy !== '' && !oneOf(policy, reclaimPolicies))
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies));
  if (spec.nodeAffinity)
    errors.push(
      ...(spec.nodeAffinity.required
        ? validateNodeSelector(spec.nodeAffinity.required, 'spec.nodeAffinity.required')
        : [required('spec.nodeAffinity.required', 'must specify required node constraints')]),
    );
  errors.push(...validateVolumeSources(spec, obj.metadata.name ?? '', 'spec'));
  if (spec.storageClassName)
    errors.push(...invalidFor('spec.storageClassName', spec.storageClassName, isDns1123Subdomain(spec.storageClassName)));
  if (spec.volumeMode !== undefined && !oneOf(spec.volumeMode, volumeModes))
    errors.push(notSupported('spec.volumeMode', spec.volumeMode, volumeModes));
  return [...errors, ...validateAttributesClass(spec), ...validateMountOptions(obj)];
}

function validateAttributesClass({ volumeAttributesClassName: name, csi }: PersistentVolumeSpec): FieldError[] {
  if (name === undefined) return [];
  const path = 'spec.volumeAttributesClassName';
  return [
    ...(name === '' ? [required(path, 'an empty string is disallowed')] : invalidFor(path, name, isDns1123Subdomain(name))),
    ...(csi ? [] : [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]),
  ];
}

function validateMountOptions(obj: KubeObject): FieldError[] {
  const annotation = 'volume.beta.kubernetes.io/mount-options';
  const spec = specOf(obj) as unknown as Record<string, unknown>;
  if (!(annotation in (obj.metadata.annotations ?? {})) || mountableSources.some(source => spec[source])) return [];
  return [forbidden(at.child('metadata.annotations', annotation), 'may not specify mount options for this volume type')];
}

// Go prints the internal struct: its own field names, all sources, null for those that are not set.
const goNames: Readonly<Record<string, string>> = {
  gcePersistentDisk: 'GCEPersistentDisk',
  awsElasticBlockStore: 'AWSElasticBlockStore',
  nfs: 'NFS',
  rbd: 'RBD',
  iscsi: 'ISCSI',
  cephfs: 'CephFS',
  fc: 'FC',
  storageos: 'StorageOS',
  csi: 'CSI',
};
const printedOrder = [
  ...[
    'gcePersistentDisk',
    'awsElasticBlockStore',
    'hostPath',
    'glusterfs',
    'nfs',
    'rbd',
    'quobyte',
    'iscsi',
    'flexVolume',
    'cinder',
    'cephfs',
    'fc',
  ],
  ...[
    'flocker',
    'azureFile',
    'vsphereVolume',
    'azureDisk',
    'photonPersistentDisk',
    'portworxVolume',
    'scaleIO',
    'local',
    'storageos',
    'csi',
  ],
];
const capitalised = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [`${key.charAt(0).toUpperCase()}${key.slice(1)}`, capitalised(item)]),
  );
};
const printedSource = (source: Record<string, unknown>) =>
  JSON.stringify(
    Object.fromEntries(
      printedOrder.map(field => [
        goNames[field] ?? `${field.charAt(0).toUpperCase()}${field.slice(1)}`,
        capitalised(source[field] ?? null),
      ]),
    ),
    undefined,
    1,
  );

function sourceOf(spec: PersistentVolumeSpec): Record<string, unknown> {
  const all = spec as unknown as Record<string, unknown>;
  return Object.fromEntries(volumeSourceFields.filter(field => all[field] !== undefined).map(field => [field, all[field]]));
}

function validateChange(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): FieldError[] {
  const errors: FieldError[] = [];
  const source = sourceOf(spec);
  if (spec.csi?.controllerExpandSecretRef && old.csi && !old.csi.controllerExpandSecretRef) {
    const { controllerExpandSecretRef: _, ...csi } = spec.csi;
    source['csi'] = csi;
  }
  if (!semanticEqual(source, sourceOf(old))) {
    const changes = unifiedDiff(printedSource(sourceOf(old)), printedSource(source));
    errors.push(forbidden('spec.persistentvolumesource', `spec.persistentvolumesource is immutable after creation\n${changes}`));
  }
  errors.push(...validateImmutableField(spec.volumeMode, old.volumeMode, 'volumeMode'));
  if (old.nodeAffinity && !semanticEqual(spec.nodeAffinity, old.nodeAffinity))
    errors.push(
      invalid('nodeAffinity', capitalised(spec.nodeAffinity ?? null), 'field is immutable, except for updating from beta label to GA'),
    );
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'));
  return errors;
}

const deadSources: readonly [keyof PersistentVolumeSpec, string][] = [
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function warnings(obj: KubeObject): string[] {
  const spec = specOf(obj);
  const annotations = obj.metadata.annotations ?? {};
  const found: string[] = [];
  if ('volume.beta.kubernetes.io/storage-class' in annotations)
    found.push(
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    );
  if ('volume.beta.kubernetes.io/mount-options' in annotations)
    found.push(
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    );
  if (spec.persistentVolumeReclaimPolicy === 'Recycle')
    found.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  for (const [field, text] of deadSources) if (spec[field]) found.push(`spec.${field === 'storageos' ? 'storageOS' : field}: ${text}`);
  return found;
}

export const persistentVolumeKind: BuiltinKind = {
  setDefaults(obj) {
    const volume = asVolume(obj);
    volume.status ??= {};
    volume.status.phase ||= 'Pending';
    const spec = (volume.spec ??= {});
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    if (spec.hostPath) spec.hostPath.type ??= '';
    if (spec.iscsi) spec.iscsi.iscsiInterface ||= 'default';
    if (spec.rbd) {
      spec.rbd.pool ||= 'rbd';
      spec.rbd.user ||= 'admin';
      spec.rbd.keyring ||= '/etc/ceph/keyring';
    }
    if (spec.azureDisk) {
      spec.azureDisk.cachingMode ??= 'ReadWrite';
      spec.azureDisk.kind ??= 'Shared';
      spec.azureDisk.fsType ??= 'ext4';
      spec.azureDisk.readOnly ??= false;
    }
    if (spec.scaleIO) {
      spec.scaleIO.storageMode ||= 'ThinProvisioned';
      spec.scaleIO.fsType ||= 'xfs';
    }
  },
  strategy: {
    hasStatus: true,
    returnsDeletedObject: true,
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj, ctx) {
      asVolume(obj).status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(ctx.now) };
    },
    prepareForUpdate: (obj, old) => carryOver(obj, old, 'status'),
    prepareForStatusUpdate(obj, old, ctx) {
      carryOver(obj, old, 'spec');
      const status = (asVolume(obj).status ??= {});
      const last = asVolume(old).status ?? {};
      if (status.phase !== last.phase) {
        if (status.lastPhaseTransitionTime === undefined || status.lastPhaseTransitionTime === last.lastPhaseTransitionTime)
          status.lastPhaseTransitionTime = timestamp(ctx.now);
      } else if (status.lastPhaseTransitionTime === undefined && last.lastPhaseTransitionTime !== undefined)
        status.lastPhaseTransitionTime = last.lastPhaseTransitionTime;
    },
    validate: validateVolume,
    validateUpdate: (obj, old) => [...validateVolume(obj), ...validateChange(specOf(obj), specOf(old))],
    validateStatusUpdate: () => [],
    warningsOnCreate: warnings,
    warningsOnUpdate: (obj, _old, ctx) => (ctx.subresource === 'status' ? [] : warnings(obj)),
  },
};
