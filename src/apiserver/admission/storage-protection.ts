import type { PersistentVolumeClaim, StorageClass } from '../../api/kubernetes.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { concerns, forbid, isMainResource } from './admission-errors.ts';
import { compareQuantities } from '../../api/quantity.ts';
import { readQuantity } from '../../api/pod-amounts.ts';

const protections: Readonly<Record<string, string>> = {
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

/** Keeps storage objects that are in use from being deleted under their users. */
export function storageObjectInUseProtection(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    handles: ({ operation, subresource, resource }) =>
      operation === 'CREATE' && subresource === '' && `${resource.group}/${resource.resource}` in protections,
    mutate: ({ object, resource }) => {
      const finalizer = protections[`${resource.group}/${resource.resource}`]!;
      const { metadata } = object!;
      if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    },
  };
}

/** Lets claims grow only where their storage class can follow. */
export function persistentVolumeClaimResize(): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    handles: request => request.operation === 'UPDATE' && concerns(request, '', 'persistentvolumeclaims') && isMainResource(request),
    validate: request => {
      const claim = request.object as unknown as PersistentVolumeClaim;
      const old = request.oldObject as unknown as PersistentVolumeClaim;
      if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
      if (old.status?.phase !== 'Bound') throw forbid(request, 'Only bound persistent volume claims can be expanded');
      if (!allowsExpansion(request, claim, old))
        throw forbid(
          request,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        );
    },
  };
}

const sizeOf = (claim: PersistentVolumeClaim) => readQuantity(claim.spec?.resources?.requests?.['storage']);
const classOf = ({ metadata, spec }: PersistentVolumeClaim) =>
  metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';

function allowsExpansion({ api }: AdmissionRequest, claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const name = classOf(claim);
  if (name === '' || name !== classOf(old)) return false;
  const found = api.peek({ group: 'storage.k8s.io', resource: 'storageclasses' }, '', name) as unknown as StorageClass | undefined;
  return found?.allowVolumeExpansion === true;
}
