import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/kubernetes.ts';
import { selectorMatches } from '../../../apiserver/validation/label-selector.ts';
import { compareQuantities } from '../../../apiserver/validation/quantities.ts';
import { isDeleting, type Stored } from '../stored-object.ts';

export type StoredClaim = Stored<PersistentVolumeClaim>;
export type StoredVolume = Stored<PersistentVolume>;

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

export const classOf = ({ metadata, spec }: StoredClaim | StoredVolume): string =>
  metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? '';

export const requestOf = ({ spec }: StoredClaim): string | number => spec.resources?.requests?.['storage'] ?? 0;

/** Whether a volume is meant for this very claim, or for any. */
export function isMeantFor({ spec }: StoredVolume, claim: StoredClaim): boolean {
  const { claimRef } = spec;
  return (
    claimRef?.name === claim.metadata.name &&
    claimRef.namespace === claim.metadata.namespace &&
    (!claimRef.uid || claimRef.uid === claim.metadata.uid)
  );
}

/** The volume that fits a claim best: one that was set aside for it, else the smallest that is free. */
export function matchVolume(claim: StoredClaim, volumes: readonly StoredVolume[]): StoredVolume | undefined {
  const fitting = volumes.filter(volume => fits(volume, claim));
  const own = fitting.find(volume => isMeantFor(volume, claim));
  if (own) return own;
  return fitting
    .filter(({ spec, status }) => spec.claimRef === undefined && status?.phase === 'Available')
    .toSorted((a, b) => compareQuantities(capacityOf(a), capacityOf(b)) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

export const capacityOf = ({ spec }: StoredVolume): string | number => spec.capacity?.['storage'] ?? 0;

function fits(volume: StoredVolume, claim: StoredClaim): boolean {
  const { spec } = claim;
  if (isDeleting(volume) || classOf(volume) !== classOf(claim)) return false;
  if ((volume.spec.volumeMode ?? 'Filesystem') !== (spec.volumeMode ?? 'Filesystem')) return false;
  if (!(spec.accessModes ?? []).every(mode => (volume.spec.accessModes ?? []).includes(mode))) return false;
  if (spec.selector && !selectorMatches(spec.selector, volume.metadata.labels)) return false;
  return compareQuantities(capacityOf(volume), requestOf(claim)) >= 0;
}
