import { isGateOver } from '../../../core/gates/gate-phase.ts';
import type { GateAnswer, GateSpec } from '../gates/gate-desk.ts';
import { beginRollback } from './begin-rollback.ts';
import { isInterrupted } from './drive-slot.ts';
import { gateReason } from './end-run.ts';
import { failedStep } from './handle-failure.ts';
import { lookAtGate } from './look-at-gate.ts';
import { waveSettings, type Draft } from './run-step.ts';
import type { GateRecord, WaveRecord } from './run-status.ts';

/** The gates before or after a wave, all at the same time. True when all are passed. */
export function driveGates(draft: Draft, wave: WaveRecord, side: 'before' | 'after'): boolean {
  if (draft.input.mode === 'Preview') return true;
  const gates = (waveSettings(draft, wave)?.[side] ?? []) as readonly GateSpec[];
  let isPassed = true;
  for (const gate of gates) {
    const record = recordOf(wave, gate, side);
    if (record.phase === 'Successful') continue;
    if (draft.input.skipGates.includes(gate.name)) {
      Object.assign(record, { phase: 'Successful', message: 'Bypassed' });
      continue;
    }
    const answer = lookAtGate(draft, record, { gate, place: placeOf(draft, wave, gate, side), wave });
    if (answer.phase === 'Successful') continue;
    isPassed = false;
    if (isGateOver(answer.phase)) return notPassed(draft, wave, gate, answer);
  }
  return isPassed;
}

function recordOf(wave: WaveRecord, { name, type }: GateSpec, side: 'before' | 'after'): GateRecord {
  const gates = (wave.gates ??= []);
  let record = gates.find(one => one.name === name && one.side === side);
  if (!record) gates.push((record = { name, type, side, phase: 'Pending' }));
  return record;
}

const placeOf = ({ engine }: Draft, wave: WaveRecord, gate: GateSpec, side: string): string =>
  ['wave', wave.name, side, gate.name, engine.leg, engine.gateRound ?? 0].join('/');

function notPassed(draft: Draft, wave: WaveRecord, gate: GateSpec, answer: GateAnswer): false {
  const { engine } = draft;
  const message = `Gate ${gate.name} of wave ${wave.name}: ${answer.message ?? answer.phase}`;
  const failure = { type: answer.failureType ?? 'Verification', reason: gateReason(gate.type, answer), message };
  if (answer.mustRollBack === true || gate.onFailure === 'Rollback') beginRollback(draft, { failure, ends: 'RolledBack' });
  else if (gate.onFailure === 'Pause' || answer.phase === 'Inconclusive')
    engine.pause = { reason: failure.reason, message, isKnown: false };
  else {
    engine.breach = failure;
    failedStep(draft, undefined, undefined, [failure.type]);
  }
  if (isInterrupted(draft)) wave.phase = 'Failed';
  return false;
}
