import type { JobCondition, JobStatus } from '../../../api/kubernetes.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { isDeleting } from '../stored-object.ts';
import type { StoredPod } from '../pod-state.ts';
import { printIndexes } from './index-set.ts';
import {
  countsAsFailure,
  hasFailed,
  indexOf,
  isIndexed,
  isSuspended,
  isTracked,
  lastFailures,
  type ObservedJob,
  type StoredJob,
} from './job-pods.ts';
import type { Verdict } from './job-verdict.ts';

/** More would make the status too long; the rest is counted in the next round. */
const maxUncounted = 500;

export interface TrackedStatus {
  readonly status: JobStatus;
  /** Pods that need not be held any more once this status is written. */
  readonly released: readonly StoredPod[];
  /** The job is over with this status. */
  readonly isFinal: boolean;
}

/**
 * The status of a job. A pod that ended is first written down by its uid, then let go, then counted: whatever is interrupted, it is counted
 * once.
 */
export function trackStatus(observed: ObservedJob, verdict: Verdict | undefined, now: Date): TrackedStatus {
  const { job, pods, active, ready, terminating } = observed;
  const before = job.status ?? {};
  const tracked = new Set(pods.filter(isTracked).map(pod => pod.metadata.uid));
  const { succeeded: oldSucceeded = [], failed: oldFailed = [] } = before.uncountedTerminatedPods ?? {};
  const gone = (uids: readonly string[]) => uids.filter(uid => !tracked.has(uid)).length;
  const uncounted = {
    succeeded: oldSucceeded.filter(uid => tracked.has(uid)),
    failed: oldFailed.filter(uid => tracked.has(uid)),
  };
  const { released, isCut } = release(observed, verdict, uncounted);

  const status: JobStatus = {
    ...before,
    active: active.length,
    ready,
    terminating,
    succeeded: isIndexed(job) ? observed.succeededIndexes.size : (before.succeeded ?? 0) + gone(oldSucceeded),
    failed: (before.failed ?? 0) + gone(oldFailed),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length > 0 && { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length > 0 && { failed: uncounted.failed }),
    },
  };
  if (isIndexed(job)) setIndexes(status, observed);
  if (status.startTime === undefined && !isSuspended(job)) status.startTime = timestamp(now);
  for (const name of ['active', 'succeeded', 'failed'] as const) if (status[name] === 0) delete status[name];

  const isOutstanding = released.length + uncounted.succeeded.length + uncounted.failed.length + active.length + terminating > 0;
  const isFinal = verdict !== undefined && !isOutstanding && !isCut;
  status.conditions = conditionsOf(job, verdict, isFinal, now);
  setStartTime(status, job, now);
  if (status.conditions.length === 0) delete status.conditions;
  if (isFinal && verdict.isSuccess) status.completionTime = timestamp(now);
  return { status, released, isFinal };
}

/** Pods that may go once they are written down, which happens here. */
function release(
  observed: ObservedJob,
  verdict: Verdict | undefined,
  uncounted: { succeeded: string[]; failed: string[] },
): { released: StoredPod[]; isCut: boolean } {
  const { job, pods } = observed;
  const kept = new Set(verdict || isDeleting(job) ? [] : lastFailures(observed).values());
  const released: StoredPod[] = [];
  for (const pod of pods) {
    const { uid } = pod.metadata;
    const failed = hasFailed(pod, job);
    const isOver = failed || pod.status?.phase === 'Succeeded';
    if (!isTracked(pod) || kept.has(pod) || !(isOver || verdict || isDeleting(job))) continue;
    released.push(pod);
    if (uncounted.failed.includes(uid) || uncounted.succeeded.includes(uid)) continue;
    const isOfJob = !isIndexed(job) || indexOf(pod, job) !== undefined;
    if (pod.status?.phase === 'Succeeded') {
      if (!isIndexed(job)) uncounted.succeeded.push(uid);
    } else if ((failed || verdict?.isSuccess === false) && isOfJob && countsAsFailure(pod, job)) uncounted.failed.push(uid);
    if (uncounted.succeeded.length + uncounted.failed.length >= maxUncounted) return { released, isCut: true };
  }
  return { released, isCut: false };
}

function setIndexes(status: JobStatus, { succeededIndexes, failedIndexes }: ObservedJob): void {
  if (succeededIndexes.size > 0) status.completedIndexes = printIndexes(succeededIndexes);
  else delete status.completedIndexes;
  if (failedIndexes) status.failedIndexes = printIndexes(failedIndexes);
}

function conditionsOf(job: StoredJob, verdict: Verdict | undefined, isFinal: boolean, now: Date): JobCondition[] {
  const conditions = [...(job.status?.conditions ?? [])];
  const at = timestamp(now);
  const set = (type: string, value: string, reason: string, message: string) => {
    const i = conditions.findIndex(condition => condition.type === type);
    if (conditions[i]?.status === value) return;
    const next = { type, status: value, lastProbeTime: at, lastTransitionTime: at, reason, message };
    if (i < 0) conditions.push(next);
    else conditions[i] = next;
  };
  if (verdict) {
    set(verdict.isSuccess ? 'SuccessCriteriaMet' : 'FailureTarget', 'True', verdict.reason, verdict.message);
    if (isFinal) set(verdict.isSuccess ? 'Complete' : 'Failed', 'True', verdict.reason, verdict.message);
  } else if (isSuspended(job)) set('Suspended', 'True', 'JobSuspended', 'Job suspended');
  else if (conditions.some(({ type }) => type === 'Suspended')) set('Suspended', 'False', 'JobResumed', 'Job resumed');
  return conditions;
}

/** A suspended job's time does not run; a resumed one starts anew. */
function setStartTime(status: JobStatus, { status: before }: StoredJob, now: Date): void {
  const suspended = (conditions: readonly JobCondition[] = []) => conditions.find(({ type }) => type === 'Suspended')?.status;
  const [was, is] = [suspended(before?.conditions), suspended(status.conditions)];
  if (is === 'True' && was !== 'True') delete status.startTime;
  if (is === 'False' && was === 'True') status.startTime = timestamp(now);
}
