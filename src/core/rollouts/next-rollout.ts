import type { RolloutState } from '../../api/rollout.ts';
import { cloneJson } from '../../util/json.ts';
import { advanceWaves, catchUp } from './advance-waves.ts';
import { beginRollout } from './begin-rollout.ts';
import { endSoaks, entriesOf } from './cluster-states.ts';
import { followMembers } from './follow-members.ts';
import { judgeBudgets } from './judge-budgets.ts';
import { observeClusters } from './observe-clusters.ts';
import { beginRollback, rollBack } from './roll-back.ts';
import type { Draft, RolloutEvent, RolloutInput } from './rollout-step.ts';
import { summarize } from './summarize-rollout.ts';
import { rollbackTarget, takeRequest } from './take-request.ts';

export interface RolloutStep {
  /** All that is remembered. It decides which revision each cluster has: see `revisionFor`. */
  readonly state: RolloutState;
  /** When to look again though nothing else changed. */
  readonly wakeAt: Date | undefined;
  /** To be told once the state is written. */
  readonly events: readonly RolloutEvent[];
}

/** The next state of a rollout. It must be written before anybody acts on it; a step that was lost is made again from the state before. */
export function nextRollout(input: RolloutInput): RolloutStep {
  const { before, revision, clusters } = input;
  const isNew = before?.revision !== revision;
  const state = isNew ? beginRollout(input) : cloneJson(before);
  const draft: Draft = { ...input, state, clusters: new Map(clusters.map(one => [one.name, one])), events: [], wakeAt: undefined };
  if (isNew) draft.events.push({ type: 'Normal', reason: 'RolloutStarted', note: `Revision ${revision} is rolled out` });
  followMembers(draft);
  takeRequest(draft, { ...input, before: state });
  observeClusters(draft);
  go(draft);
  summarize(draft);
  return { state, wakeAt: draft.wakeAt, events: draft.events };
}

function go(draft: Draft): void {
  const { state, spec } = draft;
  const isPaused = spec.paused === true;
  switch (state.phase) {
    case 'Aborted':
      return;
    case 'RollingBack':
    case 'RolledBack':
    case 'RollbackFailed':
      return rollBack(draft);
    case 'Succeeded':
      if (!isPaused) catchUp(draft);
      return;
    default:
  }
  judgeBudgets(draft);
  if (isPaused) return pause(draft);
  resume(draft);
  state.phase = 'Progressing';
  if (!state.breach) advanceWaves(draft);
  if (state.breach) stop(draft);
}

function pause({ state, now, events }: Draft): void {
  state.phase = 'Paused';
  if (state.pausedAt !== undefined) return;
  state.pausedAt = now.toISOString();
  events.push({ type: 'Normal', reason: 'RolloutPaused', note: `The rollout of revision ${state.revision} is paused` });
}

/** The time in between was no time of soaking. */
function resume({ state, now, events }: Draft): void {
  if (state.pausedAt === undefined) return;
  const pausedMs = now.getTime() - Date.parse(state.pausedAt);
  for (const wave of state.waves) if (wave.soakUntil) wave.soakUntil = new Date(Date.parse(wave.soakUntil) + pausedMs).toISOString();
  delete state.pausedAt;
  events.push({ type: 'Normal', reason: 'RolloutResumed', note: `The rollout of revision ${state.revision} goes on` });
}

/** Clusters that are under way finish, and then what is to happen happens. */
function stop(draft: Draft): void {
  const { state, spec, now } = draft;
  if (entriesOf(state).some(one => one.state === 'Running')) {
    state.phase = 'Progressing';
    return;
  }
  const target = rollbackTarget(state);
  if (spec.onFailure === 'Rollback' && target !== undefined && state.breach!.reason !== 'UnassignedClusters') {
    beginRollback(draft, target);
    return rollBack(draft);
  }
  endSoaks(state);
  state.phase = 'Failed';
  state.finishedAt ??= now.toISOString();
}
