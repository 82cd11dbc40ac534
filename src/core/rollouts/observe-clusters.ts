import type { ClusterEntry, WaveStatus } from '../../api/rollout.ts';
import { durationMs } from '../../util/duration.ts';
import { hasRevision } from './cluster-states.ts';
import { settingsOf } from './rollout-limits.ts';
import { explain, move, wake, type Delivery, type Draft } from './rollout-step.ts';

/** Services that scale or move are not healthy for a moment. */
const blipMs = 10_000;

/** Moves clusters to where they are by what is seen of them. Nothing is started here. */
export function observeClusters(draft: Draft): void {
  for (const wave of draft.state.waves) for (const entry of wave.clusters) observe(entry, wave, draft);
}

function observe(entry: ClusterEntry, wave: WaveStatus, draft: Draft): void {
  switch (entry.state) {
    case 'Running':
      return observeRunning(entry, wave, draft);
    case 'Soaking':
      return observeSoaking(entry, draft);
    case 'Failed':
    case 'TimedOut':
      return observeFailed(entry, draft);
    case 'RollingBack':
    case 'RollbackFailed':
      return observePutBack(entry, wave, draft);
    case 'Deferred':
      return observeDeferred(entry, wave, draft);
    default:
  }
}

function observeRunning(entry: ClusterEntry, wave: WaveStatus, draft: Draft): void {
  const { state, see } = draft;
  const delivery = see(entry.name, state.revision);
  if (delivery.is === 'done') {
    const soaks = wave.phase !== 'Done' && durationMs(settingsOf(wave, draft.spec).soak) > 0;
    if (wave.phase === 'Done')
      draft.events.push({ type: 'Normal', reason: 'ClusterCaughtUp', note: `Cluster ${entry.name} has caught up` });
    return move(entry, soaks ? 'Soaking' : 'Succeeded');
  }
  if (delivery.is === 'failed') return fail(entry, draft, 'DeliveryFailed', delivery.message);
  if (isAway(entry, draft)) return defer(entry, state.revision);
  if (isLate(entry, wave, draft)) {
    draft.events.push({ type: 'Warning', reason: 'ClusterTimedOut', note: `Cluster ${entry.name} did not get ready in time` });
    return move(entry, 'TimedOut', { reason: 'ProgressDeadline', message: delivery.message ?? 'not ready in time' });
  }
  explain(entry, delivery.message);
}

function observeSoaking(entry: ClusterEntry, draft: Draft): void {
  const delivery = draft.see(entry.name, draft.state.revision);
  if (delivery.is === 'failed') return fail(entry, draft, 'SoakRegression', delivery.message);
  if (isUnwell(delivery, draft)) return fail(entry, draft, 'SoakRegression', delivery.unhealthy!.message);
}

/** Whether it is unhealthy for good, or for too long to pass for a blip. */
function isUnwell({ unhealthy }: Delivery, draft: Draft): boolean {
  if (!unhealthy) return false;
  const endsAt = unhealthy.since.getTime() + blipMs;
  if (unhealthy.isCertain || draft.now.getTime() >= endsAt) return true;
  wake(draft, endsAt);
  return false;
}

/** A delivery is tried again, and may get there after all. That the budget was exceeded stays true. */
function observeFailed(entry: ClusterEntry, { state, see }: Draft): void {
  if (state.phase === 'RollingBack' || !hasRevision(entry, state)) return;
  const { is, unhealthy } = see(entry.name, state.revision);
  if (is === 'done' && !unhealthy) move(entry, 'Succeeded', { reason: 'Recovered' });
}

function observePutBack(entry: ClusterEntry, wave: WaveStatus, draft: Draft): void {
  const { state, see } = draft;
  const { is, message } = see(entry.name, state.rollbackTo!);
  if (is === 'done') return move(entry, 'RolledBack');
  if (entry.state === 'RollbackFailed') return;
  if (is === 'failed') return move(entry, 'RollbackFailed', { reason: 'DeliveryFailed', message });
  if (isAway(entry, draft)) return defer(entry, state.rollbackTo!);
  if (isLate(entry, wave, draft))
    return move(entry, 'RollbackFailed', { reason: 'ProgressDeadline', message: message ?? 'not ready in time' });
}

/** One that was given its revision goes on by itself when it returns. */
function observeDeferred(entry: ClusterEntry, wave: WaveStatus, draft: Draft): void {
  const { state, clusters, now } = draft;
  const { readiness, isHeld } = clusters.get(entry.name)!;
  if (readiness !== 'ready' || isHeld || entry.revision === undefined) return;
  const isPutBack = entry.revision === state.rollbackTo;
  if (!isPutBack && (entry.revision !== state.revision || state.rollbackTo !== undefined || state.phase === 'Aborted')) return;
  delete entry.revision;
  move(entry, isPutBack ? 'RollingBack' : 'Running');
  entry.since = now.toISOString();
  observe(entry, wave, draft);
}

const isAway = ({ name }: ClusterEntry, { clusters }: Draft): boolean => clusters.get(name)!.readiness !== 'ready';

function isLate(entry: ClusterEntry, wave: WaveStatus, draft: Draft): boolean {
  const limitMs = durationMs(settingsOf(wave, draft.spec).progressDeadline);
  if (limitMs === 0) return false;
  // One that rested begins anew.
  entry.since ??= draft.now.toISOString();
  const endsAt = Date.parse(entry.since) + limitMs;
  if (draft.now.getTime() >= endsAt) return true;
  wake(draft, endsAt);
  return false;
}

/** It is not waited for. */
function defer(entry: ClusterEntry, revision: string): void {
  move(entry, 'Deferred', { reason: 'NotReady' });
  entry.revision = revision;
}

function fail(entry: ClusterEntry, { events }: Draft, reason: string, message: string | undefined): void {
  move(entry, 'Failed', { reason, message });
  events.push({ type: 'Warning', reason: 'ClusterFailed', note: `Cluster ${entry.name} failed: ${message ?? reason}` });
}
