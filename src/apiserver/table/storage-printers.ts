import type { KubeObject } from '../../api/object.ts';
import {
  age,
  ageColumn,
  at,
  boolean,
  column,
  integer,
  isTrue,
  list,
  nameColumn,
  nameOf,
  text,
  textOr,
  texts,
  wide,
  type Printer,
} from './cell.ts';

const modeNames: readonly [string, string][] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];
const accessModes = (modes: string[]) =>
  modeNames
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');

const phaseOf = (obj: KubeObject) => (obj.metadata.deletionTimestamp === undefined ? text(obj, 'status', 'phase') : 'Terminating');
const optional = (obj: KubeObject, ...path: string[]) => {
  const value = at(obj, ...path);
  return typeof value === 'string' ? value : '<unset>';
};

// The class was an annotation before it was a field, and the annotation still wins.
const classOf = (obj: KubeObject) =>
  obj.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? text(obj, 'spec', 'storageClassName');

function isDefaultClass(obj: KubeObject): boolean {
  const annotations = obj.metadata.annotations ?? {};
  return (
    annotations['storageclass.kubernetes.io/is-default-class'] === 'true' ||
    annotations['storageclass.beta.kubernetes.io/is-default-class'] === 'true'
  );
}

function claimCell(volume: KubeObject): string {
  const claim = at(volume, 'spec', 'claimRef');
  return claim === undefined || claim === null ? '' : `${text(claim, 'namespace')}/${text(claim, 'name')}`;
}

function tokenRequests(driver: KubeObject): string {
  if (!Array.isArray(at(driver, 'spec', 'tokenRequests'))) return '<unset>';
  return list(driver, 'spec', 'tokenRequests')
    .map(request => text(request, 'audience'))
    .join(',');
}

export const storagePrinters: Readonly<Record<string, Printer>> = {
  PersistentVolume: {
    columns: [
      nameColumn,
      column('Capacity'),
      column('Access Modes'),
      column('Reclaim Policy'),
      column('Status'),
      column('Claim'),
      column('StorageClass', 'StorageClass of the pv'),
      column('VolumeAttributesClass', 'VolumeAttributesClass of the pv'),
      column('Reason'),
      ageColumn,
      wide('VolumeMode'),
    ],
    cells: (obj, now) => [
      nameOf(obj),
      textOr('0', obj, 'spec', 'capacity', 'storage'),
      accessModes(texts(obj, 'spec', 'accessModes')),
      text(obj, 'spec', 'persistentVolumeReclaimPolicy'),
      phaseOf(obj),
      claimCell(obj),
      classOf(obj),
      optional(obj, 'spec', 'volumeAttributesClassName'),
      text(obj, 'status', 'reason'),
      age(obj, now),
      optional(obj, 'spec', 'volumeMode'),
    ],
  },
  PersistentVolumeClaim: {
    columns: [
      nameColumn,
      column('Status'),
      column('Volume'),
      column('Capacity'),
      column('Access Modes'),
      column('StorageClass', 'StorageClass of the pvc'),
      column('VolumeAttributesClass', 'VolumeAttributesClass of the pvc'),
      ageColumn,
      wide('VolumeMode'),
    ],
    cells: (obj, now) => {
      const volume = text(obj, 'spec', 'volumeName');
      return [
        nameOf(obj),
        phaseOf(obj),
        volume,
        volume === '' ? '' : textOr('0', obj, 'status', 'capacity', 'storage'),
        volume === '' ? '' : accessModes(texts(obj, 'status', 'accessModes')),
        classOf(obj),
        optional(obj, 'spec', 'volumeAttributesClassName'),
        age(obj, now),
        optional(obj, 'spec', 'volumeMode'),
      ];
    },
  },
  'storage.k8s.io/StorageClass': {
    columns: [
      nameColumn,
      column('Provisioner'),
      column('ReclaimPolicy'),
      column('VolumeBindingMode'),
      column('AllowVolumeExpansion'),
      ageColumn,
    ],
    cells: (obj, now) => [
      isDefaultClass(obj) ? `${nameOf(obj)} (default)` : nameOf(obj),
      text(obj, 'provisioner'),
      textOr('Delete', obj, 'reclaimPolicy'),
      textOr('Immediate', obj, 'volumeBindingMode'),
      isTrue(obj, 'allowVolumeExpansion'),
      age(obj, now),
    ],
  },
  'storage.k8s.io/VolumeAttributesClass': {
    columns: [nameColumn, column('DriverName'), ageColumn],
    cells: (obj, now) => [nameOf(obj), text(obj, 'driverName'), age(obj, now)],
  },
  'storage.k8s.io/VolumeAttachment': {
    columns: [nameColumn, column('Attacher', '', { format: 'name' }), column('PV'), column('Node'), boolean('Attached'), ageColumn],
    cells: (obj, now) => [
      nameOf(obj),
      text(obj, 'spec', 'attacher'),
      text(obj, 'spec', 'source', 'persistentVolumeName'),
      text(obj, 'spec', 'nodeName'),
      isTrue(obj, 'status', 'attached'),
      age(obj, now),
    ],
  },
  'storage.k8s.io/CSINode': {
    columns: [nameColumn, integer('Drivers', 'Drivers indicates the number of CSI drivers registered on the node'), ageColumn],
    cells: (obj, now) => [nameOf(obj), list(obj, 'spec', 'drivers').length, age(obj, now)],
  },
  'storage.k8s.io/CSIDriver': {
    columns: [
      nameColumn,
      boolean('AttachRequired'),
      boolean('PodInfoOnMount'),
      boolean('StorageCapacity'),
      column('TokenRequests'),
      boolean('RequiresRepublish'),
      column('Modes'),
      ageColumn,
    ],
    cells: (obj, now) => [
      nameOf(obj),
      at(obj, 'spec', 'attachRequired') !== false,
      isTrue(obj, 'spec', 'podInfoOnMount'),
      isTrue(obj, 'spec', 'storageCapacity'),
      tokenRequests(obj),
      isTrue(obj, 'spec', 'requiresRepublish'),
      texts(obj, 'spec', 'volumeLifecycleModes').join(',') || '<none>',
      age(obj, now),
    ],
  },
};
