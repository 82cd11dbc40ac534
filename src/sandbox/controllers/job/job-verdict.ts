import type { SuccessPolicy } from '../../../api/kubernetes.ts';
import { parseIndexes } from './index-set.ts';
import { hasFailed, isSuspended, isTracked, type ObservedJob, type StoredJob } from './job-pods.ts';
import { matchFailurePolicy } from './pod-failure-policy.ts';

/** That a job is at its end and why. It is final once no pod is left that has to be counted or ended. */
export interface Verdict {
  readonly isSuccess: boolean;
  readonly reason: string;
  readonly message: string;
}

const fail = (reason: string, message: string): Verdict => ({ isSuccess: false, reason, message });
const succeed = (reason: string, message: string): Verdict => ({ isSuccess: true, reason, message });

/** What was decided before stays; failures are looked for before successes. */
export function verdictOf(observed: ObservedJob, now: Date): Verdict | undefined {
  return standingVerdict(observed.job) ?? failure(observed, now) ?? indexFailure(observed) ?? policySuccess(observed);
}

/** Whether as many pods as asked for have succeeded and none is left. */
export function completionOf({ job, succeeded, active }: ObservedJob): Verdict | undefined {
  const { completions } = job.spec;
  const isComplete = active.length === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
  return isComplete ? succeed('CompletionsReached', 'Reached expected number of succeeded pods') : undefined;
}

function standingVerdict({ status }: StoredJob): Verdict | undefined {
  for (const { type, status: value, reason = '', message = '' } of status?.conditions ?? []) {
    if (value !== 'True') continue;
    if (type === 'SuccessCriteriaMet') return succeed(reason, message);
    if (type === 'FailureTarget') return fail(reason, message);
  }
  return undefined;
}

function failure({ job, pods, failed }: ObservedJob, now: Date): Verdict | undefined {
  for (const pod of pods) {
    if (!isTracked(pod) || !hasFailed(pod, job)) continue;
    const match = matchFailurePolicy(job.spec.podFailurePolicy, pod);
    if (match?.action === 'FailJob') return fail('PodFailurePolicy', match.message);
  }
  const limit = job.spec.backoffLimit ?? 6;
  if (failed > limit || restartsExceed(job, pods, limit))
    return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  const deadline = deadlineOf(job);
  if (deadline !== undefined && now.getTime() >= deadline) return fail('DeadlineExceeded', 'Job was active longer than specified deadline');
  return undefined;
}

/** When the job's time is up; undefined while it does not run. */
export function deadlineOf(job: StoredJob): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  const startTime = job.status?.startTime;
  if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  return Date.parse(startTime) + activeDeadlineSeconds * 1000;
}

/** Containers that are restarted in place count by their restarts. */
function restartsExceed({ spec }: StoredJob, pods: ObservedJob['pods'], limit: number): boolean {
  if (spec.template.spec?.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) restarts += restartCount;
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function indexFailure({ job, failedIndexes, succeededIndexes }: ObservedJob): Verdict | undefined {
  if (!failedIndexes) return undefined;
  const { maxFailedIndexes, completions = 0 } = job.spec;
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes)
    return fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  const areAllDone = failedIndexes.size + succeededIndexes.size >= completions;
  return failedIndexes.size > 0 && areAllDone ? fail('FailedIndexes', 'Job has failed indexes') : undefined;
}

function policySuccess({ job, succeededIndexes }: ObservedJob): Verdict | undefined {
  const at = matchSuccessPolicy(job.spec.successPolicy, job.spec.completions ?? 0, succeededIndexes);
  return at === undefined ? undefined : succeed('SuccessPolicy', `Matched rules at index ${at}`);
}

function matchSuccessPolicy(policy: SuccessPolicy | undefined, completions: number, succeeded: ReadonlySet<number>): number | undefined {
  const at = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    const wanted = succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, completions);
    const met = wanted === undefined ? succeeded.size : [...wanted].filter(index => succeeded.has(index)).length;
    return met >= (succeededCount ?? wanted?.size ?? Infinity);
  });
  return at < 0 ? undefined : at;
}
