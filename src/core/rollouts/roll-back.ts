import type { ClusterEntry, RolloutState } from '../../api/rollout.ts';
import { entriesOf, hasRevision } from './cluster-states.ts';
import { countOf, maxUnavailableOf } from './rollout-limits.ts';
import { move, type Draft } from './rollout-step.ts';

/** Begins to put clusters back to an earlier revision. Those that did not get the new one stay as they are. */
export function beginRollback({ state, events }: Draft, rollbackTo: string): void {
  state.phase = 'RollingBack';
  state.rollbackTo = rollbackTo;
  delete state.pausedAt;
  delete state.finishedAt;
  for (const wave of state.waves) delete wave.soakUntil;
  for (const entry of entriesOf(state)) if (entry.state === 'Pending') move(entry, 'Aborted', { reason: 'NotStarted' });
  events.push({ type: 'Warning', reason: 'RollingBack', note: `Revision ${state.revision} is put back to ${rollbackTo}` });
}

const putBackStates: ReadonlySet<string> = new Set(['RollingBack', 'RolledBack', 'RollbackFailed']);
const isWell = ({ state }: ClusterEntry): boolean => state === 'Succeeded' || state === 'Soaking';

/**
 * Puts further clusters back. Those that are broken come first, whatever their wave: they are unavailable anyway, and a healthy one that is put back while
 * they wait would be one more.
 */
export function rollBack(draft: Draft): void {
  const { state, spec, clusters, now } = draft;
  const entries = entriesOf(state);
  const left = entries.filter(isLeft);
  for (const entry of left) if (clusters.get(entry.name)!.isHeld) hold(entry, state);
  for (const entry of left.filter(isLeft)) if (clusters.get(entry.name)!.readiness !== 'ready') leaveWord(entry, state);
  const waiting = left.filter(isLeft);
  const affected = waiting.length + entries.filter(({ state: one }) => putBackStates.has(one)).length;
  const limit = countOf(spec.rollback?.maxConcurrency ?? '100%', affected, 1);
  const most = Math.min(limit, maxUnavailableOf(state, spec));
  let underWay = entries.filter(one => one.state === 'RollingBack').length;
  for (const entry of waiting.filter(one => !isWell(one))) if (underWay < limit) start(entry);
  if (waiting.every(one => one.state === 'RollingBack' || isWell(one)))
    for (const entry of nextHealthy()) if (underWay < most) start(entry);
  if (underWay === 0 && !entries.some(isLeft)) end(draft);

  /** Whether it has what is to be put back, and may be touched. */
  function isLeft(entry: ClusterEntry): boolean {
    if (!hasRevision(entry, state) || entry.state === 'Skipped') return false;
    if (entry.state === 'Deferred' && clusters.get(entry.name)!.isHeld) return false;
    return (spec.rollback?.includeSucceeded ?? true) || !isWell(entry);
  }

  function start(entry: ClusterEntry): void {
    underWay++;
    delete entry.revision;
    move(entry, 'RollingBack');
    entry.since = now.toISOString();
  }

  /** Of the last wave that has any, once the waves behind it are done. */
  function nextHealthy(): ClusterEntry[] {
    const isNext = (one: ClusterEntry) => isLeft(one) && isWell(one);
    if ((spec.rollback?.order ?? 'ReverseWaves') === 'AllAtOnce') return entries.filter(isNext);
    for (const wave of state.waves.toReversed()) {
      const own = wave.clusters.filter(isNext);
      if (own.length > 0) return own;
      if (wave.clusters.some(one => one.state === 'RollingBack')) return [];
    }
    return [];
  }
}

/** Nobody touches it until that is over; then it is put back. */
function hold(entry: ClusterEntry, { revision }: RolloutState): void {
  move(entry, 'Deferred', { reason: 'Held' });
  entry.revision = revision;
}

/** It is not waited for: what it should have is there for it when it returns. */
function leaveWord(entry: ClusterEntry, { rollbackTo }: RolloutState): void {
  move(entry, 'Deferred', { reason: 'NotReady' });
  entry.revision = rollbackTo!;
}

function end({ state, now, events }: Draft): void {
  const failed = entriesOf(state).filter(one => one.state === 'RollbackFailed');
  const phase = failed.length > 0 ? 'RollbackFailed' : 'RolledBack';
  if (state.phase === phase) return;
  state.phase = phase;
  state.finishedAt = now.toISOString();
  // After a rollout that had succeeded, what was verified is not what clusters should have.
  if (state.verified === state.revision) delete state.previous;
  state.verified = state.rollbackTo!;
  const note = `Revision ${state.revision} was put back to ${state.rollbackTo}`;
  events.push(
    failed.length > 0
      ? { type: 'Warning', reason: 'RollbackFailed', note: `${note}, but not on ${failed.map(one => one.name).join(', ')}` }
      : { type: 'Normal', reason: 'RolledBack', note },
  );
}
