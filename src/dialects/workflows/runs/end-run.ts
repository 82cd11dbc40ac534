import type { GateAnswer } from '../gates/gate-desk.ts';
import type { RunPhase } from '../kinds/workflow-run.ts';
import { isInFlight } from './cluster-grant.ts';
import { allClusters, clusterOf, recordsOf, stand, stateOf, tell, type Draft } from './run-step.ts';
import type { Failure, RunStatus } from './run-status.ts';

/** The end, for now. */
export function finish(
  draft: Draft,
  phase: NonNullable<RunStatus['phase']>,
  { reason, message }: Pick<Failure, 'reason' | 'message'>,
): void {
  const { status, engine, now } = draft;
  Object.assign(status, { phase, reason, message, finishedAt: now.toISOString() });
  delete status.queuePosition;
  delete status.nextOpen;
  delete engine.pausedAt;
  delete engine.pause;
  delete engine.breach;
  delete engine.intervention;
  for (const wave of status.waves ?? []) delete wave.soakUntil;
}

/** Of runs that people stopped before anything was changed. */
const undecided: Readonly<Record<string, 'Rejected' | 'Expired'>> = { ApprovalRejected: 'Rejected', ApprovalExpired: 'Expired' };

/** Why a gate failed, in one word. */
export function gateReason(gate: string, { failureType, isUnresolved = false }: Pick<GateAnswer, 'failureType' | 'isUnresolved'>): string {
  if (isUnresolved) return 'UnresolvedExpression';
  if (failureType === 'ApprovalRejected') return 'ApprovalRejected';
  return gate === 'Approval' && failureType === 'Timeout' ? 'ApprovalExpired' : 'GateFailed';
}

/** The run has failed before anything was changed. */
export const failUnchanged = (draft: Draft, failure: Failure): void => failRun(draft, failure, undecided[failure.reason]);

/** Nothing was put back, or need be. */
export function failRun(draft: Draft, failure: Failure, phase: RunPhase = 'Failed'): void {
  draft.engine.failure = failure;
  finish(draft, phase, failure);
  tell(draft, { event: 'RunFailed', message: failure.message });
}

/** In a step, or between two. */
function isUnderWay(draft: Draft, id: string): boolean {
  const one = clusterOf(draft, id);
  const state = stateOf(draft, id);
  return isInFlight(one) || (one.spec.grant !== undefined && (state === 'Pending' || state === 'RollingBack'));
}

/** Stops where it is. What clusters wait for is cut short, and nothing is undone. */
export function abortRun(draft: Draft, failure?: Failure): void {
  const { status, engine } = draft;
  if (failure) engine.failure = failure;
  for (const id of allClusters(draft)) if (isUnderWay(draft, id)) stand(draft, id, { state: 'Aborted', reason: 'RunAborted' });
  for (const record of recordsOf(draft)) if (record.status === 'Running' || record.status === 'Waiting') record.status = 'Aborted';
  for (const wave of status.waves ?? [])
    if (wave.phase !== 'Succeeded' && wave.phase !== 'Skipped' && wave.phase !== 'Failed') wave.phase = 'Aborted';
  finish(draft, 'Aborted', failure ?? { reason: 'Aborted', message: 'Aborted' });
  tell(draft, { event: 'RunAborted', message: failure?.message ?? 'The run was aborted' });
}
