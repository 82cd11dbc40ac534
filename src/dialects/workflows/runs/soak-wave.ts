import { durationMs } from '../../../util/duration.ts';
import { isInterrupted } from './drive-slot.ts';
import { failedStep } from './handle-failure.ts';
import { inFlight, judgeBudgets } from './run-budgets.ts';
import { clusterOf, stand, stateOf, tell, titleOf, wake, waveSettings, type Draft } from './run-step.ts';
import type { WaveRecord } from './run-status.ts';

/** Services that scale or move are not healthy for a moment. */
const blipMs = 10_000;

/** Watches whether the clusters of a wave stay well. True when that has lasted long enough. */
export function soakWave(draft: Draft, wave: WaveRecord): boolean {
  const { now, engine, input } = draft;
  const soakMs = input.mode === 'Preview' ? 0 : durationMs(waveSettings(draft, wave)?.soak);
  const watched = wave.clusters.filter(id => isDone(draft, id));
  if (soakMs === 0 || watched.length === 0) return true;
  wave.phase = 'Soaking';
  wave.soakUntil ??= new Date(now.getTime() + soakMs).toISOString();
  const ill = watched.filter(id => isIll(draft, wave, id));
  judgeBudgets(draft);
  if (engine.breach) {
    if (inFlight(draft).length > 0) return false;
    failedStep(draft, undefined, undefined, undefined);
    if (engine.breach || isInterrupted(draft)) {
      wave.phase = 'Failed';
      delete wave.soakUntil;
      return false;
    }
  }
  const endsAt = Date.parse(wave.soakUntil);
  if (now.getTime() < endsAt) {
    wake(draft, endsAt);
    return false;
  }
  // One that is unhealthy for the moment decides the wave when that is over.
  if (ill.length > 0) return false;
  delete wave.soakUntil;
  return true;
}

/** What was said to be ignored is not looked at again. */
const isDone = (draft: Draft, id: string): boolean => {
  const state = stateOf(draft, id);
  return (state === 'Succeeded' || state === 'Pending') && clusterOf(draft, id).spec.standing?.reason !== 'FailureIgnored';
};

/** Whether a cluster is unhealthy; when for good, or for too long to pass for a blip, it has failed. */
function isIll(draft: Draft, wave: WaveRecord, id: string): boolean {
  const illness = draft.input.seeIllness(id);
  if (!illness) return false;
  const endsAt = illness.since.getTime() + blipMs;
  if (!illness.isCertain && draft.now.getTime() < endsAt) {
    wake(draft, endsAt);
    return true;
  }
  const name = titleOf(draft, id);
  stand(draft, id, { state: 'Failed', reason: 'SoakRegression', message: illness.message });
  tell(draft, { event: 'ClusterFailed', message: `Cluster ${name} failed: ${illness.message}`, cluster: name, wave: wave.name });
  return false;
}
