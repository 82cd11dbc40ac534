import { appendLatecomers } from './append-latecomers.ts';
import { driveGates } from './drive-gates.ts';
import { driveSlot, isInterrupted } from './drive-slot.ts';
import { failRun, finish } from './end-run.ts';
import { hasFailed, inFlight, judgeBudgets } from './run-budgets.ts';
import { legsOf, type Leg } from './run-plan.ts';
import { allClusters, stand, stateOf, tell, type Draft } from './run-step.ts';
import type { WaveRecord } from './run-status.ts';
import { soakWave } from './soak-wave.ts';

/** Goes on as far as it can: from wave to wave, through gates, steps and soaks. */
export function advanceRun(draft: Draft): void {
  const { status, engine } = draft;
  appendLatecomers(draft);
  const waves = status.waves ?? [];
  // Without clusters, what the hub itself does is done once.
  const legs = legsOf(draft.plan!, Math.max(1, waves.length));
  status.phase = 'Running';
  delete status.queuePosition;
  judgeBudgets(draft);
  while (engine.leg < legs.length) {
    const leg = legs[engine.leg]!;
    const wave = waves[leg.wave];
    if (wave && isEmpty(draft, wave)) wave.phase = 'Skipped';
    else if (!passLeg(draft, leg, wave)) return;
    const isLastOfWave = !legs.slice(engine.leg + 1).some(one => one.wave === leg.wave);
    if (wave && wave.phase !== 'Skipped') endLeg(draft, wave, isLastOfWave);
    engine.leg++;
    engine.stage = 'Before';
  }
  succeed(draft);
}

/** All of its clusters are left out. Then its gates are, too. */
const isEmpty = (draft: Draft, wave: WaveRecord): boolean =>
  draft.status.resolvedClusters !== undefined && wave.clusters.every(id => stateOf(draft, id) === 'Skipped');

function passLeg(draft: Draft, leg: Leg, wave: WaveRecord | undefined): boolean {
  const { engine } = draft;
  if (engine.stage === 'Before') {
    if (wave && !driveGates(draft, wave, 'before')) return wait(draft, wave, 'Waiting');
    engine.stage = 'Steps';
    if (wave) begin(draft, wave);
  }
  if (engine.stage === 'Steps') {
    const way = { round: 0, leg: engine.leg, wave };
    if (!leg.slots.every(slot => driveSlot(draft, slot, way))) return false;
    engine.stage = 'Soak';
  }
  if (engine.stage === 'Soak') {
    if (wave && !soakWave(draft, wave)) return false;
    engine.stage = 'After';
  }
  return !wave || driveGates(draft, wave, 'after') || wait(draft, wave, 'Verifying');
}

function wait(draft: Draft, wave: WaveRecord, phase: 'Waiting' | 'Verifying'): false {
  if (isInterrupted(draft)) return false;
  wave.phase = phase;
  draft.status.phase = 'Waiting';
  return false;
}

function begin(draft: Draft, wave: WaveRecord): void {
  wave.phase = 'Running';
  if (wave.startedAt !== undefined) return;
  wave.startedAt = draft.now.toISOString();
  tell(draft, { event: 'WaveStarted', message: `Wave ${wave.name} begins`, wave: wave.name });
}

function endLeg(draft: Draft, wave: WaveRecord, isLast: boolean): void {
  if (!isLast) {
    wave.phase = 'Pending';
    delete wave.gates;
    return;
  }
  wave.phase = 'Succeeded';
  wave.finishedAt = draft.now.toISOString();
  // Their last step was skipped, so nobody has said so.
  for (const id of wave.clusters) if (stateOf(draft, id) === 'Pending') stand(draft, id, { state: 'Succeeded' });
  tell(draft, { event: 'WaveSucceeded', message: `Wave ${wave.name} is done`, wave: wave.name });
}

function succeed(draft: Draft): void {
  if (inFlight(draft).length > 0) return;
  const failed = allClusters(draft).filter(id => hasFailed(draft, id)).length;
  if (draft.input.mode === 'Preview' && failed > 0)
    return failRun(draft, { type: 'ApplicationError', reason: 'PreviewFailed', message: `${failed} clusters would fail` });
  finish(draft, 'Succeeded', { reason: 'Succeeded', message: failed > 0 ? `Done; ${failed} failed, as many may` : 'Done' });
  tell(draft, { event: 'RunSucceeded', message: 'The run succeeded' });
}
