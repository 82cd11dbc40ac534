import type { CronJob, CronJobStatus, Job } from '../../../api/kubernetes.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { EventType } from '../event-recorder.ts';
import { isFinishedJob, type StoredJob } from '../job/job-pods.ts';
import { byCreation, type Stored } from '../stored-object.ts';
import { cronTimes } from './cron-times.ts';

export type StoredCronJob = Stored<CronJob>;

export interface CronPlan {
  /** Jobs to delete because the history is long enough. */
  readonly outdated: readonly StoredJob[];
  /** Jobs to delete because the new one replaces them. */
  readonly replaced: readonly StoredJob[];
  /** When the job to be created was due. */
  readonly startAt?: number;
  readonly status: CronJobStatus;
  readonly events: readonly { readonly type: EventType; readonly reason: string; readonly message: string }[];
  /** When the schedule is due next. */
  readonly wakeAt?: number;
}

const manyMissed = 100;

/** What to do about a cron job and the jobs it owns. */
export function decideCronJob(cron: StoredCronJob, own: readonly StoredJob[], now: Date): CronPlan {
  const events: { type: EventType; reason: string; message: string }[] = [];
  const status = observedStatus(cron, own, events);
  const outdated = outdatedJobs(cron, own);
  const base = { outdated, replaced: [], status, events };
  if (cron.metadata.deletionTimestamp !== undefined || cron.spec.suspend) return base;

  const times = cronTimes(cron.spec.schedule, cron.spec.timeZone);
  const nowMs = now.getTime();
  const next = times.next(nowMs);
  const later = next === undefined ? {} : { wakeAt: next };
  const dueAt = lastDue(cron, now, events);
  if (dueAt === undefined) {
    const first = times.next(sinceOf(cron));
    return { ...base, ...(first !== undefined && first > nowMs ? { wakeAt: first } : later) };
  }
  const { startingDeadlineSeconds: deadline, concurrencyPolicy } = cron.spec;
  if (deadline !== undefined && dueAt + deadline * 1000 < nowMs) {
    events.push({
      type: 'Warning',
      reason: 'MissSchedule',
      message: `Missed scheduled time to start a job: ${new Date(dueAt).toUTCString()}`,
    });
    return { ...base, ...later };
  }
  const active = own.filter(job => !isFinishedJob(job));
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    events.push({ type: 'Normal', reason: 'JobAlreadyActive', message });
    return { ...base, ...later };
  }
  return { ...base, replaced: concurrencyPolicy === 'Replace' ? active : [], startAt: dueAt, ...later };
}

const sinceOf = ({ metadata, status }: StoredCronJob) => Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp);

/** The newest moment at which a job should have been started and was not. */
function lastDue(cron: StoredCronJob, now: Date, events: { type: EventType; reason: string; message: string }[]): number | undefined {
  const { schedule, timeZone, startingDeadlineSeconds: deadline } = cron.spec;
  const times = cronTimes(schedule, timeZone);
  const since = Math.max(sinceOf(cron), deadline === undefined ? 0 : now.getTime() - deadline * 1000);
  const due = times.last(since, now.getTime());
  if (due === undefined) return undefined;
  const first = times.next(since) ?? due;
  const gap = (times.next(first) ?? first) - first;
  if (gap > 0 && (due - first) / gap >= manyMissed) {
    const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
    events.push({ type: 'Warning', reason: 'TooManyMissedTimes', message });
  }
  return due;
}

function observedStatus(
  cron: StoredCronJob,
  own: readonly StoredJob[],
  events: { type: EventType; reason: string; message: string }[],
): CronJobStatus {
  const before = cron.status ?? {};
  const byUid = new Map(own.map(job => [job.metadata.uid, job]));
  const active = (before.active ?? []).filter(ref => {
    const job = byUid.get(ref.uid ?? '');
    if (!job) {
      events.push({ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${ref.name}` });
      return false;
    }
    if (!isFinishedJob(job)) return true;
    events.push({ type: 'Normal', reason: 'SawCompletedJob', message: `Saw completed job: ${ref.name}, condition: ${endOf(job)}` });
    return false;
  });
  const successes = own.map(({ status }) => status?.completionTime ?? '').filter(time => time > (before.lastSuccessfulTime ?? ''));
  const lastSuccessfulTime = successes.sort().at(-1) ?? before.lastSuccessfulTime;
  const status: CronJobStatus = { ...before, ...(lastSuccessfulTime !== undefined && { lastSuccessfulTime }) };
  if (active.length > 0) status.active = active;
  else delete status.active;
  return status;
}

const endOf = ({ status }: Pick<Job, 'status'>) =>
  status?.conditions?.find(({ type, status: value }) => value === 'True' && (type === 'Complete' || type === 'Failed'))?.type ?? '';

/** The oldest of the jobs that ended well, and of those that did not, beyond what is to be kept. */
function outdatedJobs({ spec }: StoredCronJob, own: readonly StoredJob[]): StoredJob[] {
  const beyond = (end: string, limit: number | undefined) => {
    const ended = own.filter(job => endOf(job) === end && job.metadata.deletionTimestamp === undefined).toSorted(byCreation);
    return limit === undefined ? [] : ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond('Complete', spec.successfulJobsHistoryLimit), ...beyond('Failed', spec.failedJobsHistoryLimit)];
}

/** The status once a job was started. */
export function withStarted(status: CronJobStatus, job: StoredJob, startAt: number): CronJobStatus {
  const { apiVersion, kind, metadata } = job;
  const { namespace = '', name, uid, resourceVersion } = metadata;
  const ref = { apiVersion, kind, namespace, name, uid, resourceVersion };
  return { ...status, active: [...(status.active ?? []), ref], lastScheduleTime: timestamp(new Date(startAt)) };
}
