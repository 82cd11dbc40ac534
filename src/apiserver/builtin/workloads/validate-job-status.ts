import type { FieldError } from '../../../api/field-error.ts';
import { at, duplicate, invalid, required } from '../../../api/field-error.ts';
import type { Job, JobCondition, JobStatus } from '../../../api/kubernetes.ts';
import { invalidInternal } from './internal-form.ts';
import { invalidOmitted, pushNegative } from './invalid-value.ts';
import { indexesProblem, overlapProblem } from './job-indexes.ts';
import { semanticEqual } from './semantic-equal.ts';

const isTrue = (list: readonly JobCondition[] | undefined, type: string) => (list ?? []).some(c => c.type === type && c.status === 'True');

/** Rules of a job's status. Most look only at what changes, so that jobs stored under older rules stay writable. */
export function validateJobStatusUpdate(job: Job, old: Job): FieldError[] {
  const errors: FieldError[] = [];
  const status = job.status ?? {};
  const oldStatus = old.status ?? {};
  validateNumbers(status, errors);
  validateConditions(job, oldStatus, errors);
  validateTimes(job, oldStatus, errors);
  validateIndexes(job, oldStatus, errors);
  validateProgress(job, oldStatus, errors);
  return errors;
}

function validateNumbers(status: JobStatus, errors: FieldError[]): void {
  for (const name of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const)
    pushNegative(errors, `status.${name}`, status[name]);
  const seen = new Set<string>();
  for (const list of ['succeeded', 'failed'] as const)
    (status.uncountedTerminatedPods?.[list] ?? []).forEach((uid, i) => {
      const path = at.index(`status.uncountedTerminatedPods.${list}`, i);
      if (uid === '') errors.push(invalid(path, uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(duplicate(path, uid));
      seen.add(uid);
    });
}

function validateConditions(job: Job, old: JobStatus, errors: FieldError[]): void {
  const path = 'status.conditions';
  const now = (type: string) => isTrue(job.status?.conditions, type);
  const before = (type: string) => isTrue(old.conditions, type);
  const changed = (...types: string[]) => types.some(type => now(type) !== before(type));
  const refuse = (detail: string) => errors.push(invalidOmitted(path, detail));
  if (changed('Complete', 'Failed') && now('Complete') && now('Failed')) refuse('cannot set Complete=True and Failed=true conditions');
  if (changed('Complete', 'FailureTarget') && now('Complete') && now('FailureTarget'))
    refuse('cannot set Complete=True and FailureTarget=true conditions');
  const failedIndexesChanged = (job.status?.failedIndexes ?? null) !== (old.failedIndexes ?? null);
  if ((changed('Failed') || failedIndexesChanged) && now('Failed') && !now('FailureTarget'))
    refuse('cannot set Failed=True condition without the FailureTarget=true condition');
  if (changed('Complete', 'SuccessCriteriaMet') && now('Complete') && !now('SuccessCriteriaMet'))
    refuse('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  if (now('SuccessCriteriaMet') && now('Failed')) refuse('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (now('SuccessCriteriaMet') && now('FailureTarget')) refuse('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (job.spec?.successPolicy && !now('SuccessCriteriaMet') && now('Complete'))
    refuse('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  for (const type of ['Failed', 'Complete', 'FailureTarget'])
    if (before(type) && !now(type)) refuse(`cannot disable the terminal ${type}=True condition`);
  if (before('SuccessCriteriaMet') && !now('SuccessCriteriaMet')) refuse('cannot disable the SuccessCriteriaMet=True condition');
  if (before('Complete') && !before('SuccessCriteriaMet') && now('SuccessCriteriaMet'))
    refuse('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
}

function validateTimes(job: Job, old: JobStatus, errors: FieldError[]): void {
  const { startTime, completionTime, conditions } = job.status ?? {};
  const isComplete = isTrue(conditions, 'Complete');
  const startChanged = startTime !== old.startTime;
  const completionChanged = completionTime !== old.completionTime;
  const path = 'status.completionTime';
  if (isComplete !== isTrue(old.conditions, 'Complete') || completionChanged) {
    if (completionTime !== undefined && !isComplete)
      errors.push(invalid(path, completionTime, 'cannot set completionTime when there is no Complete=True condition'));
    if (completionTime === undefined && isComplete) errors.push(required(path, 'completionTime is required for Complete jobs'));
  }
  if ((startChanged || completionChanged) && startTime !== undefined && completionTime !== undefined && completionTime < startTime)
    errors.push(invalid(path, completionTime, 'must be equal to or after `startTime`'));
  if (completionTime !== undefined && old.completionTime !== undefined && completionChanged)
    errors.push(invalid(path, completionTime, 'field is immutable'));
  const isResuming = isTrue(old.conditions, 'Suspended') && (conditions ?? []).some(c => c.type === 'Suspended' && c.status === 'False');
  if (startChanged && !isResuming && old.startTime !== undefined && !job.spec?.suspend)
    errors.push(invalid('status.startTime', startTime, 'field is immutable for unsuspended job once set'));
}

function validateIndexes(job: Job, old: JobStatus, errors: FieldError[]): void {
  const { completedIndexes = '', failedIndexes } = job.status ?? {};
  const { completions, backoffLimitPerIndex, completionMode } = job.spec ?? {};
  const completedChanged = completedIndexes !== (old.completedIndexes ?? '');
  const failedChanged = failedIndexes !== old.failedIndexes;
  const completedPath = 'status.completedIndexes';
  const failedPath = 'status.failedIndexes';
  if (completedChanged && completions !== undefined) {
    const problem = indexesProblem(completedIndexes, completions);
    if (typeof problem === 'string') errors.push(invalid(completedPath, completedIndexes, `error parsing completedIndexes: ${problem}`));
  }
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failedIndexes !== undefined) {
    const problem = indexesProblem(failedIndexes, completions);
    if (typeof problem === 'string') errors.push(invalid(failedPath, failedIndexes, `error parsing failedIndexes: ${problem}`));
  }
  if (completedChanged && completedIndexes !== '' && completionMode !== 'Indexed')
    errors.push(invalid(completedPath, completedIndexes, 'cannot set non-empty completedIndexes when non-indexed completion mode'));
  if (failedChanged && backoffLimitPerIndex === undefined && failedIndexes !== undefined)
    errors.push(invalid(failedPath, failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'));
  if ((failedChanged || completedChanged) && completions !== undefined && failedIndexes !== undefined) {
    const problem = overlapProblem(completedIndexes, failedIndexes, completions);
    if (problem !== undefined) errors.push(invalid(failedPath, failedIndexes, problem));
  }
}

function validateProgress(job: Job, old: JobStatus, errors: FieldError[]): void {
  const status = job.status ?? {};
  const spec = job.spec;
  const isFinished = ({ conditions }: JobStatus) => isTrue(conditions, 'Complete') || isTrue(conditions, 'Failed');
  const finished = isFinished(status);
  const finishChanged = finished !== isFinished(old);
  const active = status.active ?? 0;
  const activeChanged = active !== (old.active ?? 0);
  if ((finishChanged || activeChanged) && active > 0 && finished)
    errors.push(invalid('status.active', active, 'active>0 is invalid for finished job'));
  const startedNothing = spec?.suspend === true && spec.completions === 0;
  if ((finishChanged || status.startTime !== old.startTime) && !startedNothing && status.startTime === undefined && finished)
    errors.push(required('status.startTime', 'startTime is required for finished job'));
  const uncounted = status.uncountedTerminatedPods;
  const uncountedChanged = !semanticEqual(uncounted, old.uncountedTerminatedPods);
  if ((finishChanged || uncountedChanged) && finished && (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length > 0)
    errors.push(invalidInternal('status.uncountedTerminatedPods', 'UncountedTerminatedPods', uncounted, 'must be empty for finished job'));
  if ((finishChanged || status.terminating !== old.terminating) && (status.terminating ?? 0) > 0 && finished)
    errors.push(invalid('status.terminating', status.terminating, 'terminating>0 is invalid for finished job'));
  if ((status.ready !== old.ready || activeChanged) && status.ready !== undefined && status.ready > active)
    errors.push(invalid('status.ready', status.ready, 'cannot set more ready pods than active'));
  if ((status.failed ?? 0) < (old.failed ?? 0))
    errors.push(invalid('status.failed', status.failed ?? 0, 'cannot decrease the failed counter'));
  const isElastic = spec?.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (!isElastic && (status.succeeded ?? 0) < (old.succeeded ?? 0))
    errors.push(invalid('status.succeeded', status.succeeded ?? 0, 'cannot decrease the succeeded counter'));
}
