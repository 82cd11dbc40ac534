import { errorText } from '../../../util/error-text.ts';
import { driveHubStep } from './drive-hub-step.ts';
import { driveMemberStep } from './drive-member-step.ts';
import { failedStep } from './handle-failure.ts';
import { isMemberStep, resolvingStep, type PlacedStep, type Slot } from './run-plan.ts';
import { inFlight } from './run-budgets.ts';
import { recordsOf, type Draft } from './run-step.ts';
import type { StepRecord } from './run-status.ts';
import { beginRecord, endRecord, findRecord, isOver, type Way } from './step-records.ts';

/** Steps that go on together. Clusters do one step at a time. True when all are over. */
export function driveSlot(draft: Draft, slot: Slot, way: Way): boolean {
  let isDone = true;
  let isBusy = false;
  for (const placed of slot.steps) {
    const isMember = isMemberStep(placed.step);
    if (isMember && isBusy) continue;
    const isOverNow = driveStep(draft, placed, way);
    if (isMember) isBusy = !isOverNow;
    isDone &&= isOverNow;
    if ((draft.engine.breach && !isOverNow) || isInterrupted(draft)) return false;
  }
  return isDone;
}

/** Whether the way forward ended or was left. */
export const isInterrupted = ({ status, engine }: Draft): boolean =>
  status.finishedAt !== undefined || engine.pause !== undefined || engine.intervention !== undefined || isRollingBack(engine);

export const isRollingBack = ({ rollback }: Draft['engine']): boolean => rollback !== undefined && rollback.isDone !== true;

function driveStep(draft: Draft, placed: PlacedStep, way: Way): boolean {
  if (isResolving(draft, placed)) return true;
  let record = findRecord(draft, placed, way);
  if (record && isOver(record)) return true;
  if (!record) {
    record = beginRecord(draft, placed, way);
    const skips = isSkipped(draft, placed, record, way);
    if (skips === undefined) return false;
    if (skips) return true;
  }
  if (isMemberStep(placed.step)) return driveMemberStep(draft, placed, record, way);
  return draft.engine.breach ? giveUp(draft, placed, record) : driveHubStep(draft, placed, record, way);
}

/** Too many clusters failed meanwhile: nobody waits for what the hub asks. */
function giveUp(draft: Draft, placed: PlacedStep, record: StepRecord): false {
  if (inFlight(draft).length > 0) return false;
  endRecord(draft, record, 'Failed', draft.engine.breach!.message);
  failedStep(draft, placed, record, undefined);
  return false;
}

/** Clusters are resolved before there are waves. In later waves nobody speaks of it again. */
function isResolving(draft: Draft, { step, position }: PlacedStep): boolean {
  if (step.type !== 'ResolveClusters') return false;
  return resolvingStep(draft.plan!)?.position === position || recordsOf(draft).some(one => one.position === position && isOver(one));
}

/** Undefined when the expression cannot be resolved: the step has failed then. */
export function isSkipped(draft: Draft, placed: PlacedStep, record: StepRecord, way: Way): boolean | undefined {
  const { skip } = placed.step;
  if (skip === undefined) return false;
  try {
    if (skip !== 'Always' && !draft.input.holds(skip.when, way.wave, placed.phase.name)) return false;
    endRecord(draft, record, 'Skipped', skip === 'Always' ? 'Always skipped' : `Skipped because of ${skip.when}`);
    return true;
  } catch (error) {
    endRecord(draft, record, 'Failed', errorText(error));
    draft.engine.breach = { type: 'ApplicationError', reason: 'UnresolvedExpression', message: errorText(error) };
    failedStep(draft, placed, record, ['ApplicationError']);
    return undefined;
  }
}
