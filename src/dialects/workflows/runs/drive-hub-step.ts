import { isGateOver } from '../../../core/gates/gate-phase.ts';
import { resolveMessages } from '../infrastructure/resolve-messages.ts';
import { gateTypes, type GateSpec, type GateType } from '../gates/gate-desk.ts';
import { beginRollback } from './begin-rollback.ts';
import { gateReason } from './end-run.ts';
import { failedStep } from './handle-failure.ts';
import { lookAtGate } from './look-at-gate.ts';
import { publish } from './publish-outputs.ts';
import type { Draft } from './run-step.ts';
import type { PlacedStep } from './run-plan.ts';
import type { StepRecord } from './run-status.ts';
import { endRecord, isDue, say, type Way } from './step-records.ts';

/** A step that touches no cluster. True when it is over; in a rollback also when it failed. */
export function driveHubStep(draft: Draft, placed: PlacedStep, record: StepRecord, way: Way): boolean {
  const { step } = placed;
  if (step.type === 'ResolveClusters') return alreadyResolved(draft, record);
  // Who goes back waits for nobody.
  if (!isGateType(step.type) || (step.type === 'Barrier' && way.round > 0)) {
    endRecord(draft, record, 'Succeeded');
    return true;
  }
  if (!isDue(draft, record)) return false;
  const gate: GateSpec = {
    ...step.with,
    name: step.name,
    type: step.type,
    ...(step.timeout !== undefined && { timeout: step.timeout }),
    ...(step.type === 'Barrier' && { timeout: step.timeout ?? barrierTimeout, leg: way.leg, position: placed.position }),
  };
  record.gate ??= { name: step.name, type: step.type, phase: 'Pending' };
  const answer = lookAtGate(draft, record.gate, {
    gate,
    place: placeOf(placed, record, way),
    wave: way.wave,
    step: { name: step.name, type: step.type, phase: placed.phase.name },
  });
  const { phase, failureType, mustRollBack, message } = answer;
  if (!isGateOver(phase)) {
    record.status = 'Waiting';
    if (way.round === 0) draft.status.phase = 'Waiting';
    return false;
  }
  if (step.type === 'Barrier') sayBarrier(draft, record, phase === 'Successful' ? 'INFO' : 'ERROR', message ?? phase);
  if (phase === 'Successful') {
    endRecord(draft, record, 'Succeeded', message);
    return publish(draft, placed, record, way.wave);
  }
  endRecord(draft, record, 'Failed', message ?? phase);
  if (way.round > 0) return true;
  if (mustRollBack === true) {
    const failure = {
      type: failureType ?? 'ApprovalRejected',
      reason: 'ApprovalRejected',
      message: message ?? `${step.name} was rejected`,
    };
    beginRollback(draft, { failure, ends: 'RolledBack' });
  } else if (phase === 'Inconclusive') draft.engine.pause = { reason: 'Inconclusive', message: message ?? step.name, isKnown: false };
  else {
    const type = failureType ?? 'Verification';
    draft.engine.breach ??= { type, reason: gateReason(step.type, answer), message: message ?? phase };
    failedStep(draft, placed, record, [type]);
  }
  return false;
}

const isGateType = (type: string): type is GateType => gateTypes.some(one => one === type);

const barrierTimeout = '10m';

const sayBarrier = (draft: Draft, record: StepRecord, level: 'INFO' | 'ERROR', message: string): void =>
  say(draft, record, [{ unit: 'Execute', level, message }]);

/** The same text names the same attempt for ever. */
const placeOf = ({ step, phase, group, position }: PlacedStep, { attempt }: StepRecord, { wave, leg, round }: Way): string =>
  ['step', phase.name, group.name, step.name, wave?.name ?? '', leg, round, position, attempt].join('/');

function alreadyResolved(draft: Draft, record: StepRecord): boolean {
  const message = resolveMessages.alreadyDone(draft.status.resolvedClusters ?? []);
  say(draft, record, [{ unit: 'Execute', level: 'INFO', message }]);
  endRecord(draft, record, 'Skipped', message);
  return true;
}
