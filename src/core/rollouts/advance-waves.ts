import type { ClusterEntry, WaveStatus } from '../../api/rollout.ts';
import { durationMs } from '../../util/duration.ts';
import { entriesOf, hasFailed, isSettled, isUnavailable } from './cluster-states.ts';
import { judgeBudgets } from './judge-budgets.ts';
import { maxConcurrencyOf, maxUnavailableOf, settingsOf } from './rollout-limits.ts';
import { move, wake, type Draft } from './rollout-step.ts';

/** Starts what may start, and ends waves that are done. */
export function advanceWaves(draft: Draft): void {
  const { state } = draft;
  for (const wave of state.waves) {
    takeBack(wave, draft);
    startClusters(wave, draft);
    if (state.breach) return;
    if (wave.phase === 'Done' || wave.phase === 'Skipped') continue;
    if (wave.clusters.every(one => one.state === 'Skipped')) {
      wave.phase = 'Skipped';
      continue;
    }
    if (!endsWave(wave, draft)) {
      if (wave.phase === 'Soaking') state.phase = 'Soaking';
      return;
    }
    wave.phase = 'Done';
    delete wave.soakUntil;
    draft.events.push({ type: 'Normal', reason: 'WaveDone', note: `Wave ${wave.name} of revision ${state.revision} is done` });
  }
  finish(draft);
}

/** Clusters that could not take part in a rollout that succeeded get its revision when they can. */
export function catchUp(draft: Draft): void {
  for (const wave of draft.state.waves) {
    takeBack(wave, draft);
    startClusters(wave, draft);
  }
}

/** Clusters that were away or held, and are not any more, take their turn. Those of waves to come have it still before them. */
function takeBack(wave: WaveStatus, { clusters }: Draft): void {
  if (wave.phase === 'Skipped' && wave.clusters.some(one => one.state !== 'Skipped')) wave.phase = 'Done';
  for (const entry of wave.clusters) {
    const { readiness, isHeld } = clusters.get(entry.name) ?? {};
    if (entry.state === 'Deferred' && readiness === 'ready' && !isHeld) move(entry, 'Pending');
  }
}

/** Gives the revision to as many clusters of a wave as may have it now. */
function startClusters(wave: WaveStatus, draft: Draft): void {
  const { state, clusters, now } = draft;
  const mayStart = startRule(wave, draft);
  for (const entry of wave.clusters) {
    if (entry.state !== 'Pending') continue;
    if (wave.phase === 'Pending') wave.phase = 'Running';
    const { readiness, isHeld } = clusters.get(entry.name)!;
    if (isHeld) move(entry, 'Deferred', { reason: 'Held' });
    else if (readiness !== 'ready') {
      setAside(entry, draft);
      if (state.breach) return;
    } else if (isThere(entry, draft)) {
      delete entry.revision;
      move(entry, 'Succeeded', { reason: 'AlreadyThere' });
    } else if (!mayStart()) return;
    else {
      delete entry.revision;
      move(entry, 'Running');
      entry.since = state.lastStart = now.toISOString();
    }
  }
}

/** Of a cluster that is not ready when it is its turn. */
function setAside(entry: ClusterEntry, draft: Draft): void {
  const { state, spec, events } = draft;
  const policy = spec.unavailableClusters ?? 'Defer';
  if (policy !== 'Fail') return move(entry, policy === 'Skip' ? 'Skipped' : 'Deferred', { reason: 'NotReady' });
  move(entry, 'Failed', { reason: 'NotReady', message: 'not ready when its turn came' });
  // It was not given the new revision.
  entry.revision ??= state.verified ?? '';
  events.push({ type: 'Warning', reason: 'ClusterFailed', note: `Cluster ${entry.name} is not ready` });
  if (state.phase !== 'Succeeded') judgeBudgets(draft);
}

function isThere({ name }: ClusterEntry, { revision, see }: Draft): boolean {
  const { is, unhealthy } = see(name, revision);
  return is === 'done' && !unhealthy;
}

/** Whether one more may start, asked before each. Every yes is a start. */
function startRule(wave: WaveStatus, draft: Draft): () => boolean {
  const { state, spec, now } = draft;
  const isUnderWay = (one: ClusterEntry) => one.state === 'Running';
  // Those that failed in a rollout that succeeded all the same do not keep others from catching up.
  const isCounted = state.phase === 'Succeeded' ? isUnderWay : isUnavailable;
  const staggerMs = durationMs(spec.stagger);
  let room = Math.min(
    maxConcurrencyOf(wave, spec) - wave.clusters.filter(isUnderWay).length,
    maxUnavailableOf(state, spec) - entriesOf(state).filter(isCounted).length,
  );
  return () => {
    if (room <= 0) return false;
    const nextStart = state.lastStart === undefined ? 0 : Date.parse(state.lastStart) + staggerMs;
    if (now.getTime() < nextStart) {
      wake(draft, nextStart);
      return false;
    }
    room--;
    return true;
  };
}

/** Whether a wave has nothing to wait for any more. */
function endsWave(wave: WaveStatus, draft: Draft): boolean {
  const { clusters, state, spec, now, see } = draft;
  const isWaiting = !wave.clusters.every(isSettled) || waitsForFirst();
  const soaking = wave.clusters.filter(one => one.state === 'Soaking');
  if (isWaiting) {
    delete wave.soakUntil;
    return false;
  }
  if (soaking.length === 0) return true;
  wave.phase = 'Soaking';
  wave.soakUntil ??= new Date(now.getTime() + durationMs(settingsOf(wave, spec).soak)).toISOString();
  const endsAt = Date.parse(wave.soakUntil);
  if (now.getTime() < endsAt) {
    wake(draft, endsAt);
    return false;
  }
  // One that is unhealthy for the moment decides the wave when that is over.
  if (soaking.some(({ name }) => see(name, state.revision).unhealthy)) return false;
  soaking.forEach(entry => move(entry, 'Succeeded'));
  return true;

  /** A wave of clusters that are being made shows nothing until one of them is there. */
  function waitsForFirst(): boolean {
    const isComing = ({ name, state: one }: ClusterEntry) => one === 'Deferred' && clusters.get(name)?.readiness === 'coming';
    const isProven = ({ state: one }: ClusterEntry) => one === 'Succeeded' || one === 'Soaking';
    return wave.clusters.some(isComing) && !wave.clusters.some(isProven);
  }
}

/** All waves are done. What nobody has taken yet is not verified. */
function finish(draft: Draft): void {
  const { state, now, events } = draft;
  const entries = entriesOf(state);
  if (entries.some(one => one.state === 'Running')) return;
  const isProven = entries.some(one => one.state === 'Succeeded') || entries.every(one => one.state === 'Skipped');
  if (!isProven) return;
  // What is left out stays at what it has, though another revision is the verified one from now on.
  for (const entry of entries)
    if ((entry.state === 'Skipped' || entry.state === 'Deferred') && entry.reason !== 'ClusterRemoved')
      entry.revision ??= state.verified ?? '';
  state.phase = 'Succeeded';
  state.finishedAt = now.toISOString();
  if (state.verified !== undefined && state.verified !== state.revision) state.previous = state.verified;
  state.verified = state.revision;
  const failures = entries.filter(hasFailed).length;
  const note = `Revision ${state.revision} is rolled out${failures > 0 ? `; ${failures} failed` : ''}`;
  events.push({ type: 'Normal', reason: 'RolloutSucceeded', note });
}
