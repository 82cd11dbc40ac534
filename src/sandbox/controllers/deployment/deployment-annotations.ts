import { lastAppliedAnnotation } from '../../../api/object.ts';
import type { ReplicaSet } from '../../../api/kubernetes.ts';
import { byCreation, type Stored } from '../stored-object.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history';
const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';
export const rollbackAnnotation = 'deprecated.deployment.rollback.to';
const longestHistory = 2000;

type Annotations = Record<string, string>;

/** Annotations that say something about the object itself, and are not handed on between a Deployment and its ReplicaSets. */
const ownAnnotations = new Set([
  lastAppliedAnnotation,
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackAnnotation,
]);

/** 0 when there is none, undefined when it cannot be read. Clients may write any int64. */
export function revisionOf({ metadata }: { metadata: { annotations?: Annotations } }): bigint | undefined {
  const text = metadata.annotations?.[revisionAnnotation];
  if (text === undefined) return 0n;
  return /^[+-]?[0-9]+$/.test(text) ? BigInt(text) : undefined;
}

const revisionsOf = (sets: readonly Stored<ReplicaSet>[]): bigint[] =>
  sets
    .map(revisionOf)
    .filter(revision => revision !== undefined)
    .sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));

/** 0 when there is none. */
export function newestRevision(sets: readonly Stored<ReplicaSet>[]): bigint {
  const newest = revisionsOf(sets)[0] ?? 0n;
  return newest > 0n ? newest : 0n;
}

/** The newest revision but one, or 0. */
export const lastRevision = (sets: readonly Stored<ReplicaSet>[]): bigint => revisionsOf(sets)[1] ?? 0n;

/** Oldest revision first; what cannot be compared goes by age. */
export function byRevisionAnnotation(a: Stored<ReplicaSet>, b: Stored<ReplicaSet>): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  if (left === undefined || right === undefined || left === right) return byCreation(a, b);
  return left < right ? -1 : 1;
}

/** The annotations of the newest ReplicaSet: those of the Deployment, its revision, and the revisions it had before. */
export function annotationsOfNewest(deployment: Annotations | undefined, present: Annotations | undefined, revision: bigint): Annotations {
  const next = { ...present, ...handedOn(deployment) };
  const before = present?.[revisionAnnotation];
  const beforeRevision = revisionOf({ metadata: { annotations: present ?? {} } });
  if (beforeRevision === undefined) return { ...present };
  if (beforeRevision >= revision) return next;
  next[revisionAnnotation] = String(revision);
  if (before !== undefined) next[revisionHistoryAnnotation] = withRevision(present?.[revisionHistoryAnnotation] ?? '', before);
  return next;
}

function withRevision(history: string, revision: string): string {
  if (history === '') return revision;
  const revisions = [...history.split(','), revision];
  while (revisions.length > 1 && revisions.join(',').length > longestHistory) revisions.shift();
  return revisions.join(',');
}

/** A Deployment's annotations once it went back to a ReplicaSet: what it says of itself stays, the rest is the ReplicaSet's. */
export function annotationsRolledBack(deployment: Annotations | undefined, target: Annotations | undefined): Annotations {
  const own = Object.entries(deployment ?? {}).filter(([key]) => ownAnnotations.has(key) && key !== rollbackAnnotation);
  return { ...Object.fromEntries(own), ...handedOn(target) };
}

function handedOn(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !ownAnnotations.has(key)));
}

/** How large the Deployment was meant to be when the ReplicaSet was last scaled. */
export function sizeAnnotations(desired: number, most: number): Annotations {
  return { [desiredReplicasAnnotation]: String(desired), [maxReplicasAnnotation]: String(most) };
}

export const desiredReplicasOf = (set: Stored<ReplicaSet>) => readCount(set, desiredReplicasAnnotation);
export const maxReplicasOf = (set: Stored<ReplicaSet>) => readCount(set, maxReplicasAnnotation);

function readCount({ metadata }: Stored<ReplicaSet>, key: string): number | undefined {
  const text = metadata.annotations?.[key];
  if (text === undefined || !/^[0-9]+$/.test(text)) return undefined;
  const count = Number(text);
  return count < 2 ** 31 ? count : undefined;
}
