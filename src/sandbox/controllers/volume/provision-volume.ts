import type { StorageClass } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Stored } from '../stored-object.ts';
import { requestOf, type StoredClaim } from './match-volume.ts';

export const noProvisioner = 'kubernetes.io/no-provisioner';

/** A volume of a claim's own. There is nothing behind it: a sandbox has no disks, whatever the class promises. */
export function provisionedVolume(claim: StoredClaim, storageClass: Stored<StorageClass>): KubeObject {
  const { name: claimName, namespace = '', uid } = claim.metadata;
  const { provisioner, reclaimPolicy = 'Delete', mountOptions } = storageClass;
  const name = `pvc-${uid}`;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } },
    spec: {
      accessModes: claim.spec.accessModes ?? [],
      capacity: { storage: requestOf(claim) },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claimName, uid },
      hostPath: { path: `/var/lib/sandbox/volumes/${name}`, type: 'DirectoryOrCreate' },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
      ...(mountOptions && { mountOptions }),
    },
  };
}

/** The class that claims without one get. */
export const defaultStorageClass: KubeObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'sandbox.drover.io/volumes',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  allowVolumeExpansion: true,
};
