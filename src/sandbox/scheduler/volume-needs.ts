import type { NodeSelectorTerm, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../api/kubernetes.ts';
import type { ClusterApi } from '../../apiserver/cluster-api.ts';
import { asStored, isDeleting, type Stored } from '../controllers/stored-object.ts';
import { matchVolume } from '../controllers/volume/match-volume.ts';
import { noProvisioner } from '../controllers/volume/provision-volume.ts';
import { claims, storageClasses, volumes } from '../controllers/volume/volume-resources.ts';

/** What a pod's claims ask of its node. */
export interface VolumeNeeds {
  /** Why no node will do until a claim changes. */
  readonly problem?: string;
  /** The nodes from which each bound volume can be reached: all of these lists must match. */
  readonly reachableFrom: readonly (readonly NodeSelectorTerm[])[];
  /** A claim waits for a volume that people make, and there is none. */
  readonly isVolumeMissing?: boolean;
  /** Claims whose volume is made once the pod's node is known. */
  readonly waitingClaims: readonly Stored<PersistentVolumeClaim>[];
}

export function volumeNeedsOf(pod: Stored<Pod>, api: ClusterApi): VolumeNeeds {
  const reachableFrom: NodeSelectorTerm[][] = [];
  const waitingClaims: Stored<PersistentVolumeClaim>[] = [];
  const nothing = { reachableFrom, waitingClaims };
  for (const { name, isEphemeral } of claimNamesOf(pod)) {
    const obj = api.peek(claims, pod.metadata.namespace ?? '', name);
    if (!obj) {
      const missing = `persistentvolumeclaim "${name}" not found`;
      const problem = isEphemeral ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"` : missing;
      return { ...nothing, problem };
    }
    const claim = asStored<PersistentVolumeClaim>(obj);
    if (isDeleting(claim)) return { ...nothing, problem: `persistentvolumeclaim "${name}" is being deleted` };
    const volumeName = claim.spec.volumeName ?? '';
    const isBound = claim.metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined;
    if (volumeName !== '' && isBound) {
      const volume = api.peek(volumes, '', volumeName) as unknown as PersistentVolume | undefined;
      if (!volume) return { ...nothing, problem: `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volumeName}"` };
      const required = volume.spec?.nodeAffinity?.required;
      if (required) reachableFrom.push(required.nodeSelectorTerms);
    } else if (waitsForConsumer(claim, api)) {
      if (!canBeBound(claim, api)) return { ...nothing, isVolumeMissing: true };
      waitingClaims.push(claim);
    } else return { ...nothing, problem: 'pod has unbound immediate PersistentVolumeClaims' };
  }
  return nothing;
}

interface ClaimName {
  readonly name: string;
  readonly isEphemeral: boolean;
}

export function claimNamesOf({ metadata, spec }: Stored<Pod>): ClaimName[] {
  return (spec.volumes ?? []).flatMap((volume): ClaimName[] => {
    if (volume.persistentVolumeClaim) return [{ name: volume.persistentVolumeClaim.claimName, isEphemeral: false }];
    return volume.ephemeral ? [{ name: `${metadata.name}-${volume.name}`, isEphemeral: true }] : [];
  });
}

function waitsForConsumer(claim: Stored<PersistentVolumeClaim>, api: ClusterApi): boolean {
  return storageClassOf(claim, api)?.volumeBindingMode === 'WaitForFirstConsumer';
}

function storageClassOf({ spec }: Stored<PersistentVolumeClaim>, api: ClusterApi): StorageClass | undefined {
  const name = spec.storageClassName ?? '';
  return name === '' ? undefined : (api.peek(storageClasses, '', name) as unknown as StorageClass | undefined);
}

function canBeBound(claim: Stored<PersistentVolumeClaim>, api: ClusterApi): boolean {
  if (storageClassOf(claim, api)?.provisioner !== noProvisioner) return true;
  const present = api.peekAll(volumes).map(volume => asStored<PersistentVolume>(volume));
  return matchVolume(claim, present) !== undefined;
}
