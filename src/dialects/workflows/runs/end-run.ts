import { inFlight } from './run-budgets.ts';
import { recordsOf, stand, tell, type Draft } from './run-step.ts';
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

/** Nothing was put back, or need be. */
export function failRun(draft: Draft, failure: Failure): void {
  draft.engine.failure = failure;
  finish(draft, 'Failed', failure);
  tell(draft, { event: 'RunFailed', message: failure.message });
}

/** Stops where it is. What clusters wait for is cut short, and nothing is undone. */
export function abortRun(draft: Draft, failure?: Failure): void {
  const { status, engine } = draft;
  if (failure) engine.failure = failure;
  for (const id of inFlight(draft)) stand(draft, id, { state: 'Aborted', reason: 'RunAborted' });
  for (const record of recordsOf(draft)) if (record.status === 'Running' || record.status === 'Waiting') record.status = 'Aborted';
  for (const wave of status.waves ?? [])
    if (wave.phase !== 'Succeeded' && wave.phase !== 'Skipped' && wave.phase !== 'Failed') wave.phase = 'Aborted';
  finish(draft, 'Aborted', failure ?? { reason: 'Aborted', message: 'Aborted' });
  tell(draft, { event: 'RunAborted', message: failure?.message ?? 'The run was aborted' });
}
