import { isGateOver } from '../../../core/gates/gate-phase.ts';
import type { GateSpec } from '../gates/gate-desk.ts';
import { interventionChoices } from '../kinds/approval-request.ts';
import { failureActions, type FailureAction } from '../kinds/step.ts';
import { act, ignore, retry } from './handle-failure.ts';
import { lookAtGate } from './look-at-gate.ts';
import { recordsOf, type Draft } from './run-step.ts';
import type { Failure, GateRecord, Intervention } from './run-status.ts';

/** Somebody decides what to do about a step that failed. */
export function intervene(draft: Draft, intervention: Intervention): void {
  const { status, engine } = draft;
  const { place, name, timeout, groups, users, state, approvalRequest } = intervention;
  const gate: GateSpec = {
    name,
    type: 'Approval',
    timeout,
    choices: interventionChoices,
    ...(groups && { groups }),
    ...(users && { users }),
  };
  const record: GateRecord = {
    name,
    type: 'Approval',
    phase: 'Pending',
    ...(state && { state }),
    ...(approvalRequest !== undefined && { approvalRequest }),
  };
  const failed = recordsOf(draft).findLast(one => one.status === 'Failed' && one.round === 0);
  const wave = status.waves?.find(one => one.name === failed?.wave);
  Object.assign(status, { phase: 'Waiting', reason: 'ManualIntervention', message: engine.breach?.message ?? `${name} failed` });
  const answer = lookAtGate(draft, record, { gate, place, wave });
  if (!isGateOver(answer.phase)) {
    if (record.state) intervention.state = record.state;
    if (record.approvalRequest !== undefined) intervention.approvalRequest = record.approvalRequest;
    return;
  }
  delete engine.intervention;
  const failure: Failure = engine.breach ?? { type: 'ApplicationError', reason: 'StepFailed', message: `${name} failed` };
  const choice = answer.outputs?.['choice'];
  if (choice === 'Retry') return retry(draft, failed, 0);
  if (choice === 'Ignore' || choice === 'MarkSuccess') return ignore(draft, failed);
  const action: FailureAction =
    choice === 'Abort'
      ? 'Abort'
      : choice === 'Rollback'
        ? 'RollbackWorkflow'
        : (failureActions.find(one => one === intervention.then) ?? 'RollbackWorkflow');
  act(draft, action, { strategy: { action }, failure, placed: undefined, record: failed });
}
