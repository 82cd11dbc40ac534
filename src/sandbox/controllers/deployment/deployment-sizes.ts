import type { Deployment, ReplicaSet } from '../../../api/kubernetes.ts';
import { desiredReplicasOf, maxReplicasOf } from './deployment-annotations.ts';
import { resolveIntOrPercent } from '../int-or-percent.ts';
import { byCreation, type Stored } from '../stored-object.ts';

export type StoredDeployment = Stored<Deployment>;
export type StoredReplicaSet = Stored<ReplicaSet>;

/** A ReplicaSet and the number of pods it shall have. */
export interface Resize {
  readonly set: StoredReplicaSet;
  readonly size: number;
}

export const sizeOf = ({ spec }: StoredReplicaSet): number => spec.replicas ?? 0;
export const isInUse = (set: StoredReplicaSet): boolean => sizeOf(set) > 0;
export const totalSize = (sets: readonly StoredReplicaSet[]): number => sum(sets, sizeOf);
const availableOf = ({ status }: StoredReplicaSet): number => status?.availableReplicas ?? 0;

export function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}

export const desiredSize = ({ spec }: StoredDeployment): number => spec.replicas ?? 1;
export const isRolling = ({ spec }: StoredDeployment): boolean => spec.strategy?.type === 'RollingUpdate';

/** How many pods a rollout may have too many. */
export const maxSurge = (deployment: StoredDeployment): number => (isRolling(deployment) ? fenceposts(deployment).surge : 0);

/** How many pods may be missing at any time. */
export function maxUnavailable(deployment: StoredDeployment): number {
  const desired = desiredSize(deployment);
  if (!isRolling(deployment) || desired === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, desired);
}

// With neither, the rollout could never take a step.
function fenceposts(deployment: StoredDeployment): { surge: number; unavailable: number } {
  const { maxSurge: surgeGiven, maxUnavailable: unavailableGiven } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = resolveIntOrPercent(surgeGiven, desiredSize(deployment), 'up');
  const unavailable = resolveIntOrPercent(unavailableGiven, desiredSize(deployment), 'down');
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** The size of the newest ReplicaSet in the next step, given all that there are (itself included). */
export function nextSizeOfNewest(deployment: StoredDeployment, all: readonly StoredReplicaSet[], newestSize: number): number {
  const desired = desiredSize(deployment);
  if (!isRolling(deployment)) return desired;
  const room = desired + resolveIntOrPercent(deployment.spec.strategy?.rollingUpdate?.maxSurge, desired, 'up') - totalSize(all);
  return room <= 0 ? newestSize : newestSize + Math.min(room, desired - newestSize);
}

/**
 * The next steps down for the older ReplicaSets of a rolling update: first pods that are not available, then available ones as far as
 * enough remain, oldest ReplicaSet first. Empty when nothing may go now.
 */
export function shrinkOlder(deployment: StoredDeployment, newest: StoredReplicaSet, older: readonly StoredReplicaSet[]): Resize[] {
  const inUse = older.filter(isInUse).toSorted(byCreation);
  const leastAvailable = desiredSize(deployment) - maxUnavailable(deployment);
  const missingInNewest = sizeOf(newest) - availableOf(newest);
  const mostDown = totalSize([...inUse, newest]) - leastAvailable - missingInNewest;
  if (inUse.length === 0 || mostDown <= 0) return [];

  const sizes = new Map(inUse.map(set => [set, sizeOf(set)]));
  const steps: Resize[] = [];
  const shrink = (set: StoredReplicaSet, by: number) => {
    const size = (sizes.get(set) ?? 0) - by;
    sizes.set(set, size);
    steps.push({ set, size });
  };
  let left = mostDown;
  for (const set of inUse) {
    const down = Math.min(left, sizeOf(set) - availableOf(set));
    if (down <= 0) continue;
    shrink(set, down);
    left -= down;
  }
  let spare = sum([...inUse, newest], availableOf) - leastAvailable;
  for (const set of inUse) {
    const down = Math.min(spare, sizes.get(set) ?? 0);
    if (down <= 0) continue;
    shrink(set, down);
    spare -= down;
  }
  return steps;
}

/** Whether the Deployment was given another size since its ReplicaSets were last scaled. */
export function isScaled(deployment: StoredDeployment, all: readonly StoredReplicaSet[]): boolean {
  return all.filter(isInUse).some(set => {
    const desired = desiredReplicasOf(set);
    return desired !== undefined && desired !== desiredSize(deployment);
  });
}

/** Sizes after the Deployment itself was scaled: in the middle of a rollout every ReplicaSet gets its share. */
export function scaleAll(deployment: StoredDeployment, newest: StoredReplicaSet | undefined, older: readonly StoredReplicaSet[]): Resize[] {
  const desired = desiredSize(deployment);
  const only = onlyOneToScale(newest, older);
  if (only) return sizeOf(only) === desired ? [] : [{ set: only, size: desired }];
  if (newest && isSaturated(deployment, newest)) return older.filter(isInUse).map(set => ({ set, size: 0 }));
  return isRolling(deployment) ? scaleByShare(deployment, [...older, ...(newest ? [newest] : [])].filter(isInUse)) : [];
}

function onlyOneToScale(newest: StoredReplicaSet | undefined, older: readonly StoredReplicaSet[]): StoredReplicaSet | undefined {
  const inUse = [...older, ...(newest ? [newest] : [])].filter(isInUse);
  if (inUse.length > 1) return undefined;
  return inUse[0] ?? newest ?? older.toSorted(byCreation).at(-1);
}

function isSaturated(deployment: StoredDeployment, set: StoredReplicaSet): boolean {
  const desired = desiredSize(deployment);
  return sizeOf(set) === desired && desiredReplicasOf(set) === desired && availableOf(set) === desired;
}

function scaleByShare(deployment: StoredDeployment, sets: readonly StoredReplicaSet[]): Resize[] {
  const desired = desiredSize(deployment);
  const toAdd = (desired > 0 ? desired + maxSurge(deployment) : 0) - totalSize(sets);
  // The largest first; among equals the newer gains first and the older loses first.
  const ordered = sets.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byCreation(b, a) : byCreation(a, b)));
  let added = 0;
  const resizes = ordered.map(set => {
    const share = shareOf(deployment, set, toAdd, added);
    added += share;
    return { set, size: sizeOf(set) + share };
  });
  const leftover = toAdd - added;
  return resizes.map((resize, i) => (i === 0 ? { ...resize, size: Math.max(0, resize.size + leftover) } : resize));
}

function shareOf(deployment: StoredDeployment, set: StoredReplicaSet, toAdd: number, added: number): number {
  if (toAdd === 0 || toAdd === added) return 0;
  const fraction = fractionOf(deployment, set);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

function fractionOf(deployment: StoredDeployment, set: StoredReplicaSet): number {
  const desired = desiredSize(deployment);
  if (desired === 0) return -sizeOf(set);
  const most = desired + maxSurge(deployment);
  const mostBefore = maxReplicasOf(set) || deployment.status?.replicas || 0;
  if (mostBefore === 0) return 0;
  const exact = (sizeOf(set) * most) / mostBefore;
  return Math.floor(exact + 0.5) - sizeOf(set);
}
