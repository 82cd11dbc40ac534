import { durationMs } from '../../../util/duration.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { ClusterRun, Grant, StepResult } from '../kinds/cluster-run.ts';
import type { FailureType } from '../kinds/step.ts';
import type { SteadyState } from '../release/steady-state.ts';
import { clusterStateOf } from '../runs/cluster-grant.ts';
import type { Delivery } from './delivery-of-work.ts';
import type { Half } from './work-mark.ts';

export type ClusterRunStatus = NonNullable<ClusterRun['status']>;
type Checkpoint = NonNullable<ClusterRunStatus['checkpoint']>;

export interface ClusterRunInput {
  readonly spec: ClusterRun['spec'];
  readonly status: ClusterRunStatus | undefined;
  /** The Work of the release. */
  readonly work: { /** Which half of the present grant it holds. */ readonly half: Half | undefined; readonly delivery: Delivery };
  /** How what is awaited is. Absent: nobody has looked since the Work was applied. */
  readonly seen?: readonly SteadyState[];
  /** Whether its wave is watched: then so is a cluster that is done. */
  readonly isSoaking?: boolean;
  /** Since when this hub follows. What was over before that, nobody has watched. */
  readonly hubSince?: Date;
  readonly now: Date;
  /** How far the clock was set forward while this hub followed the cluster, the step, and its end, in milliseconds: that was no time for any of them. */
  readonly jumps?: { readonly cluster: number; readonly step: number; readonly end: number } | undefined;
}

/** What is to be done next. Whatever `status` there is must be written before anything else. */
export type Move =
  /** Nothing, until a grant comes. */
  | { readonly move: 'rest' }
  /** Write the status, and ask again. */
  | { readonly move: 'write'; readonly status: ClusterRunStatus }
  /** Compute the first half, write what it says to the status, then the Work. */
  | { readonly move: 'begin' }
  /** Look at what is awaited, and ask again. */
  | { readonly move: 'look' }
  | { readonly move: 'wait'; readonly until: Date }
  /** Write the Work of the second half. */
  | { readonly move: 'end'; readonly result: NonNullable<Checkpoint['result']> };

export const timedOut = 'Timed out while waiting for k8s task to complete';
const defaultTimeout = '10m';
/** How often somebody looks although nothing is heard. */
const lookEveryMs = 5_000;
/** A step that is steady has succeeded, whether or not the member has tidied up by then. */
const tidyMs = 120_000;

/** What the run says of a cluster is told by its phase. */
function rest({ spec, status, isSoaking = false }: ClusterRunInput): Move {
  const state = clusterStateOf({ spec, status });
  const phase = isSoaking && isWell(state) ? 'Soaking' : state;
  return status?.phase === phase ? { move: 'rest' } : { move: 'write', status: { ...status, phase } };
}

/** Between two waves, or at its end: there is something to watch. */
const isWell = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Pending';

/** How a granted step goes on. Grants of old, and clusters that the run has set aside, are left alone; an abort cuts every wait short. */
export function nextClusterRun(input: ClusterRunInput): Move {
  const { spec, status } = input;
  const { grant, standing } = spec;
  const isAborted = standing?.state === 'Aborted';
  if (!grant || (standing && !isAborted) || (status?.grant ?? 0) > grant.id) return rest(input);
  if (status?.grant !== grant.id) return isAborted ? rest(input) : { move: 'write', status: started(input, grant) };
  if (status.step?.status !== 'Running') return rest(input);
  const checkpoint = status.checkpoint?.grant === grant.id ? status.checkpoint : undefined;
  if (checkpoint?.result !== undefined) return ending(input, checkpoint);
  const cut = isAborted ? aborted : isLate(input, grant) ? lateResult(input, grant, checkpoint) : undefined;
  if (input.work.half === undefined) return cut ? over(input, cut) : { move: 'begin' };
  return following(input, checkpoint, cut);
}

interface Result {
  readonly status: StepResult['status'];
  readonly failureType?: string;
  readonly message?: string;
}

const aborted: Result = { status: 'Failed', failureType: 'ApplicationError', message: 'Aborted' };
const unwritten: Result = { status: 'Failed', failureType: 'ApplicationError', message: 'The end of the step could not be written' };
const late: Result = { status: 'TimedOut', failureType: 'Timeout', message: timedOut };
const unwatched: Result = { status: 'Failed', failureType: 'HubRestart', message: 'The hub was away when the time of the step was over' };

/** Why a step is not over in time. */
function lateResult(input: ClusterRunInput, grant: Grant, checkpoint: Checkpoint | undefined): Result {
  const { hubSince, work } = input;
  if (hubSince && deadlineMs(input, grant) <= hubSince.getTime()) return unwatched;
  if (work.half === undefined && checkpoint?.message !== undefined) {
    const { failureType = 'ApplicationError', message } = checkpoint;
    return { status: 'Failed', failureType, message };
  }
  if (work.half !== 'begin' || work.delivery.state !== 'pending') return late;
  const { isLost = false, isDenied = false, message } = work.delivery;
  if (isLost) return { status: 'Failed', failureType: 'Connectivity', message: message ?? 'The cluster cannot be reached' };
  if (isDenied) return failedBy(true, `${timedOut}: ${message ?? 'a rule of the member denies it'}`);
  return message === undefined ? late : { ...late, message: `${timedOut}: ${message}` };
}

/** A beginning that did not come about and is tried again until the time is over: what kept it from that is known meanwhile. */
export function troubled(status: ClusterRunStatus, failureType: FailureType, message: string): ClusterRunStatus {
  return { ...status, checkpoint: { ...status.checkpoint!, failureType, message } };
}

/** What is awaited is denied by a rule of the member, or not any more: others may put that right as long as there is time. */
function hindered(status: ClusterRunStatus, message: string | undefined): ClusterRunStatus {
  const { failureType: _type, message: _message, ...checkpoint } = status.checkpoint!;
  const kept = { ...status, checkpoint };
  return message === undefined ? kept : troubled(kept, 'Policy', message);
}

function started({ spec, status, now }: ClusterRunInput, grant: Grant): ClusterRunStatus {
  const { failure: _failure, checkpoint: _checkpoint, soak: _soak, scaleDownAt, ...kept } = status ?? {};
  const at = timestamp(now);
  return withPhase(spec, {
    ...kept,
    // Who goes back needs what production has left.
    ...(scaleDownAt !== undefined && grant.isRollback !== true && { scaleDownAt }),
    startedAt: kept.startedAt ?? at,
    grant: grant.id,
    step: { status: 'Running', startedAt: at },
    checkpoint: { grant: grant.id, half: 'begin', at },
  });
}

/** When the step, or all that the cluster may take, is over. */
function deadlineMs({ status, jumps }: ClusterRunInput, { timeout = defaultTimeout, progressDeadline, isRollback }: Grant): number {
  const stepMs = Date.parse(status?.step?.startedAt ?? '') + durationMs(timeout) + (jumps?.step ?? 0);
  if (progressDeadline === undefined || isRollback === true) return stepMs;
  return Math.min(stepMs, Date.parse(status?.startedAt ?? '') + durationMs(progressDeadline) + (jumps?.cluster ?? 0));
}

const isLate = (input: ClusterRunInput, grant: Grant): boolean => input.now.getTime() >= deadlineMs(input, grant);

/** The Work holds the first half. */
function following(input: ClusterRunInput, checkpoint: Checkpoint | undefined, cut: Result | undefined): Move {
  const { delivery } = input.work;
  if (delivery.state === 'failed') return conclude(input, failedBy(delivery.isDenied, delivery.message));
  // What became steady while nobody looked is steady.
  if (cut && (cut === aborted || delivery.state === 'pending')) return conclude(input, cut);
  const { grant } = input.spec;
  const deadline = deadlineMs(input, grant!);
  if (delivery.state === 'pending') return { move: 'wait', until: new Date(deadline) };
  if ((checkpoint?.awaits ?? []).length === 0) return conclude(input, { status: 'Succeeded' });
  if (!input.seen) return { move: 'look' };
  const broken = input.seen.find(({ state }) => state === 'failed');
  if (broken) return conclude(input, failedBy(broken.isDenied, broken.message));
  if (input.seen.some(({ state }) => state === 'waiting')) {
    const denied = input.seen.find(({ isDenied }) => isDenied)?.message;
    if (cut) return conclude(input, denied === undefined ? cut : failedBy(true, `${timedOut}: ${denied}`));
    if (denied !== checkpoint?.message) return { move: 'write', status: hindered(input.status!, denied) };
    return { move: 'wait', until: new Date(Math.min(deadline, input.now.getTime() + lookEveryMs)) };
  }
  return conclude(input, { status: 'Succeeded' });
}

const failedBy = (isDenied: boolean | undefined, message: string): Result => ({
  status: 'Failed',
  failureType: isDenied === true ? 'Policy' : 'ApplicationError',
  message,
});

/** What the step comes to is known before its end is written: who goes on after a crash must not judge anew. */
function conclude({ spec, status, now }: ClusterRunInput, { status: result, ...why }: Result): Move {
  const { failureType: _type, message: _message, ...before } = status!.checkpoint ?? {};
  const checkpoint = {
    ...before,
    grant: spec.grant!.id,
    half: 'end',
    at: timestamp(now),
    result: result as NonNullable<Checkpoint['result']>,
    ...why,
  } as const;
  return { move: 'write', status: { ...status, checkpoint } };
}

function ending(input: ClusterRunInput, { result, at, failureType, message }: Checkpoint): Move {
  const { work, now } = input;
  const untilMs = Date.parse(at ?? '') + tidyMs + (input.jumps?.end ?? 0);
  if (work.half !== 'end') return now.getTime() < untilMs ? { move: 'end', result: result! } : over(input, unwritten);
  const isAborted = input.spec.standing !== undefined;
  if (result === 'Succeeded' && work.delivery.state === 'pending' && now.getTime() < untilMs && !isAborted) {
    return { move: 'wait', until: new Date(untilMs) };
  }
  return over(input, { status: result!, ...(failureType !== undefined && { failureType }), ...(message !== undefined && { message }) });
}

function over(input: ClusterRunInput, result: Result): Move {
  return { move: 'write', status: overStatus(input, result) };
}

/** The step has ended. */
export function overStatus({ spec, status, now }: Pick<ClusterRunInput, 'spec' | 'status' | 'now'>, result: Result): ClusterRunStatus {
  const { checkpoint: _checkpoint, ...kept } = status ?? {};
  const { id, step: name, type } = spec.grant!;
  const { failureType, message } = result;
  const why = message === undefined ? {} : { message };
  const hasFailed = result.status === 'Failed' || result.status === 'TimedOut';
  return withPhase(spec, {
    ...kept,
    grant: id,
    step: {
      status: result.status,
      ...why,
      ...(hasFailed && { failureType: failureType ?? 'ApplicationError' }),
      startedAt: kept.step?.startedAt ?? timestamp(now),
      finishedAt: timestamp(now),
    },
    steps: [...(kept.steps ?? []).filter(({ grant }) => grant !== id), { grant: id, name, type, status: result.status, ...why }],
    ...(hasFailed && {
      failure: {
        type: failureType ?? 'ApplicationError',
        reason: result.status === 'TimedOut' ? 'TimedOut' : 'StepFailed',
        message: message ?? 'The step failed',
      },
    }),
  });
}

export const withPhase = (spec: ClusterRun['spec'], status: ClusterRunStatus): ClusterRunStatus => ({
  ...status,
  phase: clusterStateOf({ spec, status }),
});
