import type { KindRef } from '../../../../api/define-kind.ts';
import { always, kindType, once } from '../kind-type.ts';
import type { NormanType } from '../norman-type.ts';
import { stateFieldsOf } from './object-fields.ts';

const clusterWide = (group: string, kind: string, resource: string): KindRef => ({
  group,
  version: 'v1',
  kind,
  resource,
  scope: 'Cluster',
});

const PersistentVolume = clusterWide('', 'PersistentVolume', 'persistentvolumes');
const StorageClass = clusterWide('storage.k8s.io', 'StorageClass', 'storageclasses');

const name = { type: 'string', ...once, required: true, at: 'metadata.name' } as const;
const given = { type: 'json', ...once, nullable: true } as const;

/** `/v3/cluster/<id>/persistentvolumes`. */
export function persistentVolumeType(): NormanType {
  return kindType({
    id: 'persistentVolume',
    plural: 'persistentVolumes',
    kind: PersistentVolume,
    prefix: '',
    isStateful: true,
    resourceMethods: ['GET', 'PUT', 'DELETE'],
    fields: {
      name,
      capacity: { type: 'map[string]', ...always },
      accessModes: { type: 'array[string]', ...always },
      storageClassId: { type: 'reference[storageClass]', ...once, at: 'spec.storageClassName' },
      persistentVolumeReclaimPolicy: { type: 'string', ...always, nullable: true },
      volumeMode: { type: 'string', ...once, nullable: true },
      mountOptions: { type: 'array[string]', ...always, nullable: true },
      nodeAffinity: { type: 'json', ...once, nullable: true },
      // What it is made of. Rancher and Kubernetes call these the same.
      csi: given,
      nfs: given,
      hostPath: given,
      local: given,
      iscsi: given,
    },
    derive: (fields, volume) => ({ ...fields, ...stateFieldsOf(volume) }),
  });
}

/** `/v3/cluster/<id>/storageclasses`. */
export function storageClassType(): NormanType {
  return kindType({
    id: 'storageClass',
    plural: 'storageClasses',
    kind: StorageClass,
    prefix: '',
    isFlat: true,
    isStateful: true,
    resourceMethods: ['GET', 'PUT', 'DELETE'],
    fields: {
      name,
      provisioner: { type: 'string', ...once, required: true },
      parameters: { type: 'map[string]', ...once, nullable: true },
      reclaimPolicy: { type: 'string', ...once, nullable: true },
      volumeBindingMode: { type: 'string', ...once, nullable: true },
      allowVolumeExpansion: { type: 'boolean', ...always, nullable: true },
      mountOptions: { type: 'array[string]', ...once, nullable: true },
    },
    derive: (fields, storageClass) => ({ ...fields, ...stateFieldsOf(storageClass) }),
  });
}
