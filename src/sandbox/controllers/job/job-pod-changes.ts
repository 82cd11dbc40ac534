import { choosePodsToDelete } from '../pod-deletion-order.ts';
import { isTerminating, type StoredPod } from '../pod-state.ts';
import {
  countOf,
  countsAsFailure,
  failureCountKey,
  hasFailed,
  ignoredFailureCountKey,
  indexOf,
  isIndexed,
  isSuspended,
  lastFailures,
  replacesOnlyFailed,
  type ObservedJob,
  type StoredJob,
} from './job-pods.ts';

const firstBackOffMs = 10_000;
const maxBackOffMs = 600_000;
/** Pods created or deleted in one go. */
const burst = 500;

/** One pod to create; those of indexed jobs have an index, and a count of the failures before them when each index counts its own. */
export interface NewPod {
  readonly index?: number;
  readonly failures?: { readonly counted: number; readonly ignored: number };
}

export interface PodChanges {
  readonly deletes: readonly StoredPod[];
  readonly creates: readonly NewPod[];
  /** When more pods may be created, if that has to wait. */
  readonly retryAt?: number;
}

/** Which pods a running job needs and which it has too many. Deletions come first: what they free is used in the next round. */
export function podChanges(observed: ObservedJob, now: Date): PodChanges {
  const { job, active, succeeded, terminating } = observed;
  if (isSuspended(job)) return { deletes: active.slice(0, burst), creates: [] };
  const { completions, parallelism = 1 } = job.spec;
  const wanted =
    completions === undefined ? (succeeded > 0 ? active.length : parallelism) : Math.max(0, Math.min(completions - succeeded, parallelism));
  const deletes = surplus(observed, active.length - wanted, now);
  if (deletes.length > 0) return { deletes: deletes.slice(0, burst), creates: [] };

  const missing = wanted - active.length - (replacesOnlyFailed(job) ? terminating : 0);
  if (missing <= 0) return { deletes: [], creates: [] };
  if (observed.failedIndexes) return perIndex(observed, missing, now);
  const retryAt = backOffEnd(observed);
  if (retryAt !== undefined && retryAt > now.getTime()) return { deletes: [], creates: [], retryAt };
  const count = Math.min(missing, burst);
  if (!isIndexed(job)) return { deletes: [], creates: Array.from({ length: count }, () => ({})) };
  return { deletes: [], creates: pendingIndexes(observed, count).map(index => ({ index })) };
}

function surplus({ job, active }: ObservedJob, atLeast: number, now: Date): StoredPod[] {
  const repeated = isIndexed(job) ? repeatedPods(job, active) : [];
  const rest = active.filter(pod => !repeated.includes(pod));
  const more = Math.max(0, atLeast - repeated.length);
  return [...repeated, ...(more > 0 ? choosePodsToDelete(rest, [], more, now) : [])];
}

/** Pods whose index the job does not have or another pod has already. */
function repeatedPods(job: StoredJob, active: readonly StoredPod[]): StoredPod[] {
  const seen = new Set<number>();
  return active.filter(pod => {
    const index = indexOf(pod, job);
    if (index === undefined || seen.has(index)) return true;
    seen.add(index);
    return false;
  });
}

function pendingIndexes({ job, active, pods, succeededIndexes, failedIndexes }: ObservedJob, count: number): number[] {
  const busy = replacesOnlyFailed(job) ? [...active, ...pods.filter(isTerminating)] : active;
  const taken = new Set(busy.map(pod => indexOf(pod, job)));
  const pending: number[] = [];
  for (let index = 0; index < (job.spec.completions ?? 0) && pending.length < count; index++)
    if (!taken.has(index) && !succeededIndexes.has(index) && !failedIndexes?.has(index)) pending.push(index);
  return pending;
}

/** Each index waits for its own back-off only. */
function perIndex(observed: ObservedJob, missing: number, now: Date): PodChanges {
  const last = lastFailures(observed);
  const creates: NewPod[] = [];
  let retryAt: number | undefined;
  for (const index of pendingIndexes(observed, Math.min(missing, burst))) {
    const failed = last.get(index);
    if (!failed) {
      creates.push({ index, failures: { counted: 0, ignored: 0 } });
      continue;
    }
    const before = { counted: countOf(failed, failureCountKey), ignored: countOf(failed, ignoredFailureCountKey) };
    const dueAt = finishedAt(failed) + backOff(before.counted + before.ignored + 1);
    const isCounted = countsAsFailure(failed, observed.job);
    if (dueAt > now.getTime()) retryAt = Math.min(retryAt ?? Infinity, dueAt);
    else
      creates.push({ index, failures: { counted: before.counted + (isCounted ? 1 : 0), ignored: before.ignored + (isCounted ? 0 : 1) } });
  }
  return { deletes: [], creates, ...(retryAt !== undefined && { retryAt }) };
}

/** Every failure since the last success doubles the wait after the last one. */
function backOffEnd({ job, pods }: ObservedJob): number | undefined {
  const lastSuccess = Math.max(0, ...pods.filter(({ status }) => status?.phase === 'Succeeded').map(finishedAt));
  const failures = pods
    .filter(pod => hasFailed(pod, job))
    .map(finishedAt)
    .filter(at => at > lastSuccess);
  return failures.length === 0 ? undefined : Math.max(...failures) + backOff(failures.length);
}

const backOff = (failures: number) => Math.min(firstBackOffMs * 2 ** Math.min(failures - 1, 20), maxBackOffMs);

function finishedAt({ metadata, status }: StoredPod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  const last = Math.max(...ends.filter(at => !Number.isNaN(at)));
  if (Number.isFinite(last)) return last;
  if (metadata.deletionTimestamp !== undefined)
    return Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  return Date.parse(ready ?? metadata.creationTimestamp);
}
