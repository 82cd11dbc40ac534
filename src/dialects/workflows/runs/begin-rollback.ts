import { failUnchanged, finish } from './end-run.ts';
import { memberSteps, type RunPlan } from './run-plan.ts';
import { allClusters, clusterOf, recordsOf, stateOf, tell, type Draft } from './run-step.ts';
import type { Failure, RollbackPlan } from './run-status.ts';

export interface RollbackWish {
  /** Absent when somebody asked for it. */
  readonly failure?: Failure;
  /** Names of phases. All that were begun when absent. */
  readonly phases?: readonly string[];
  /** Only this wave. */
  readonly wave?: number;
  /** Only these clusters. */
  readonly clusters?: string[];
  readonly ends: RollbackPlan['ends'];
}

/** Begins to put back what the run changed. */
export function beginRollback(draft: Draft, { failure, phases, wave, clusters, ends }: RollbackWish): void {
  const { status, engine, input, plan } = draft;
  if (failure && ends !== 'Running') engine.failure = failure;
  const round = (engine.rollback?.round ?? 0) + 1;
  const changed = (clusters ?? allClusters(draft)).filter(id => isChanged(draft, id));
  const isNeeded = plan !== undefined && changed.length > 0;
  if (!isNeeded && ends !== 'Running') return endAtOnce(draft, failure);
  engine.rollback = {
    round,
    generation: input.generation,
    sinceId: engine.lastId,
    legs: wave !== undefined ? [[wave]] : legsOf(draft),
    phases: [...(phases ?? startedPhases(draft, plan!))].reverse(),
    ...(clusters && { clusters }),
    leg: 0,
    ends,
  };
  delete engine.breach;
  delete engine.pause;
  delete engine.pausedAt;
  delete engine.intervention;
  delete status.finishedAt;
  for (const one of status.waves ?? []) delete one.soakUntil;
  if (ends === 'Running') return;
  // Nobody waits for them any more.
  for (const record of recordsOf(draft)) if (record.status === 'Running' || record.status === 'Waiting') record.status = 'Aborted';
  status.phase = 'RollingBack';
  tell(draft, { event: 'RollbackStarted', message: failure?.message ?? 'The run is rolled back', nonce: String(round) });
}

/** Whether the run did something on a cluster that was not put back. */
export function isChanged(draft: Draft, id: string): boolean {
  const state = stateOf(draft, id);
  return clusterOf(draft, id).spec.grant !== undefined && state !== 'RolledBack' && state !== 'Skipped';
}

/** Nothing was changed. */
function endAtOnce(draft: Draft, failure: Failure | undefined): void {
  if (failure) return failUnchanged(draft, failure);
  finish(draft, 'RolledBack', { reason: 'RolledBack', message: 'There was nothing to put back' });
  tell(draft, { event: 'RunRolledBack', message: 'There was nothing to put back' });
}

/** The waves, the last first, or all together. */
function legsOf({ status, rollout }: Draft): number[][] {
  const waves = (status.waves ?? []).map((_, i) => i);
  return rollout.rollback?.order === 'AllAtOnce' ? [waves] : waves.reverse().map(one => [one]);
}

/** In the order in which they were begun. */
function startedPhases(draft: Draft, plan: RunPlan): string[] {
  const positions = new Set(memberSteps(plan).map(one => one.position));
  const begun = recordsOf(draft).filter(({ round, position, status }) => round === 0 && positions.has(position) && status !== 'Skipped');
  const names = new Set(begun.map(one => one.phase));
  return plan.phases.map(one => one.name).filter(name => names.has(name));
}
