import type { Job } from '../../../api/kubernetes.ts';
import { isActive, isTerminating, type StoredPod } from '../pod-state.ts';
import { isDeleting, type Stored } from '../stored-object.ts';
import { parseIndexes } from './index-set.ts';
import { matchFailurePolicy } from './pod-failure-policy.ts';

export type StoredJob = Stored<Job>;

export const jobs = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job' };

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
export const indexKey = 'batch.kubernetes.io/job-completion-index';
export const failureCountKey = 'batch.kubernetes.io/job-index-failure-count';
export const ignoredFailureCountKey = 'batch.kubernetes.io/job-index-ignored-failure-count';

export const isFinishedJob = ({ status }: StoredJob): boolean =>
  status?.conditions?.some(({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True') === true;

export const isIndexed = ({ spec }: StoredJob): boolean => spec.completionMode === 'Indexed';
export const isSuspended = ({ spec }: StoredJob): boolean => spec.suspend === true;
export const isTracked = ({ metadata }: StoredPod): boolean => metadata.finalizers?.includes(trackingFinalizer) === true;

/** Pods that are told to end are replaced only once they have, when the job says so or judges failures. */
export const replacesOnlyFailed = ({ spec }: StoredJob): boolean => spec.podReplacementPolicy === 'Failed';

/** Undefined when the pod has no index, or one that the job does not have. */
export function indexOf({ metadata }: StoredPod, { spec }: StoredJob): number | undefined {
  const text = metadata.annotations?.[indexKey];
  if (text === undefined || !/^[0-9]+$/.test(text)) return undefined;
  return Number(text) < (spec.completions ?? 0) ? Number(text) : undefined;
}

export function hasFailed(pod: StoredPod, job: StoredJob): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return !replacesOnlyFailed(job) && isDeleting(pod) && pod.status?.phase !== 'Succeeded';
}

export const countOf = ({ metadata }: StoredPod, key: string): number => Number(metadata.annotations?.[key] ?? 0) || 0;

/** A job and its pods, sorted into what matters to it. */
export interface ObservedJob {
  readonly job: StoredJob;
  readonly pods: readonly StoredPod[];
  readonly active: readonly StoredPod[];
  readonly terminating: number;
  readonly ready: number;
  /** Pods that ended and are not in the status yet. */
  readonly newlySucceeded: readonly StoredPod[];
  readonly newlyFailed: readonly StoredPod[];
  /** With those that are not in the status yet. */
  readonly succeeded: number;
  readonly failed: number;
  readonly succeededIndexes: ReadonlySet<number>;
  /** Undefined unless indexes fail on their own. */
  readonly failedIndexes: ReadonlySet<number> | undefined;
}

export function observeJob(job: StoredJob, pods: readonly StoredPod[]): ObservedJob {
  const { succeeded: uncountedSucceeded = [], failed: uncountedFailed = [] } = job.status?.uncountedTerminatedPods ?? {};
  const isNew = (pod: StoredPod) =>
    isTracked(pod) && !uncountedSucceeded.includes(pod.metadata.uid) && !uncountedFailed.includes(pod.metadata.uid);
  const newlySucceeded = pods.filter(pod => isNew(pod) && pod.status?.phase === 'Succeeded');
  const newlyFailed = pods.filter(pod => isNew(pod) && hasFailed(pod, job));
  const counted = newlyFailed.filter(pod => countsAsFailure(pod, job));
  const succeededIndexes = succeededIndexesOf(job, pods);
  const active = pods.filter(isActive);
  return {
    job,
    pods,
    active,
    terminating: pods.filter(isTerminating).length,
    ready: active.filter(({ status }) => status?.conditions?.some(c => c.type === 'Ready' && c.status === 'True')).length,
    newlySucceeded,
    newlyFailed,
    succeeded: isIndexed(job) ? succeededIndexes.size : (job.status?.succeeded ?? 0) + uncountedSucceeded.length + newlySucceeded.length,
    failed: (job.status?.failed ?? 0) + uncountedFailed.length + counted.length,
    succeededIndexes,
    failedIndexes: job.spec.backoffLimitPerIndex === undefined ? undefined : failedIndexesOf(job, pods),
  };
}

export const countsAsFailure = (pod: StoredPod, job: StoredJob): boolean =>
  matchFailurePolicy(job.spec.podFailurePolicy, pod)?.action !== 'Ignore';

function succeededIndexesOf(job: StoredJob, pods: readonly StoredPod[]): Set<number> {
  if (!isIndexed(job)) return new Set();
  const indexes = parseIndexes(job.status?.completedIndexes ?? '', job.spec.completions ?? 0);
  for (const pod of pods) {
    const index = indexOf(pod, job);
    if (index !== undefined && isTracked(pod) && pod.status?.phase === 'Succeeded') indexes.add(index);
  }
  return indexes;
}

function failedIndexesOf(job: StoredJob, pods: readonly StoredPod[]): Set<number> {
  const indexes = parseIndexes(job.status?.failedIndexes ?? '', job.spec.completions ?? 0);
  for (const pod of pods) {
    const index = indexOf(pod, job);
    if (index === undefined || !isTracked(pod) || !hasFailed(pod, job)) continue;
    const isTold = matchFailurePolicy(job.spec.podFailurePolicy, pod)?.action === 'FailIndex';
    const isSpent = countsAsFailure(pod, job) && countOf(pod, failureCountKey) >= (job.spec.backoffLimitPerIndex ?? 0);
    if (isTold || isSpent) indexes.add(index);
  }
  return indexes;
}

/** The last failed pod of each index that is to be tried again: it is kept until its replacement has taken over its count. */
export function lastFailures({ job, pods, active, succeededIndexes, failedIndexes }: ObservedJob): Map<number, StoredPod> {
  const last = new Map<number, StoredPod>();
  if (failedIndexes === undefined) return last;
  const total = (pod: StoredPod) => countOf(pod, failureCountKey) + countOf(pod, ignoredFailureCountKey);
  for (const pod of pods) {
    const index = indexOf(pod, job);
    if (index === undefined || !isTracked(pod) || !hasFailed(pod, job)) continue;
    if (succeededIndexes.has(index) || failedIndexes.has(index)) continue;
    const present = last.get(index);
    if (!present || total(pod) >= total(present)) last.set(index, pod);
  }
  for (const pod of active) {
    const index = indexOf(pod, job);
    const failed = index === undefined ? undefined : last.get(index);
    if (failed && total(pod) > total(failed)) last.delete(index!);
  }
  return last;
}
