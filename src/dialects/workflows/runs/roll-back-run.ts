import { countOf } from '../../../core/rollouts/rollout-limits.ts';
import { isChanged } from './begin-rollback.ts';
import { isInFlight, type Grant } from './cluster-grant.ts';
import { driveHubStep } from './drive-hub-step.ts';
import { isSkipped } from './drive-slot.ts';
import { failRun, finish } from './end-run.ts';
import { grantFor } from './grant-step.ts';
import { hasFailed, inFlight, maxUnavailable } from './run-budgets.ts';
import { isMemberStep, rollbackSlots, stepsOf, type PlacedStep } from './run-plan.ts';
import { allClusters, clusterOf, grantTo, recordsOf, stand, stateOf, tell, titleOf, type Draft } from './run-step.ts';
import type { RollbackPlan, StepRecord } from './run-status.ts';
import { beginRecord, endRecord, findRecord, type Way } from './step-records.ts';

/** Puts clusters back, leg by leg. One that cannot be put back keeps nobody else from it. */
export function rollBackRun(draft: Draft): void {
  const { status, engine } = draft;
  const rollback = engine.rollback!;
  const steps = stepsOf(rollbackSlots(draft.plan!, rollback.phases));
  if (rollback.ends !== 'Running') status.phase = 'RollingBack';
  for (; rollback.leg < rollback.legs.length; rollback.leg++) {
    const ids = membersOf(draft, rollback);
    if (ids.length > 0 && !steps.every(placed => driveStep(draft, placed, { ids, steps }))) return;
    if (steps.some(one => isMemberStep(one.step))) markPutBack(draft, ids, rollback);
    for (const index of rollback.legs[rollback.leg]!) markWave(draft, index, rollback);
  }
  end(draft, rollback);
}

/** The clusters that are put back now. */
function membersOf(draft: Draft, rollback: RollbackPlan): string[] {
  const chosen = rollback.clusters && new Set(rollback.clusters);
  const isLeft = (id: string) => {
    if (chosen && !chosen.has(id)) return false;
    if (isInRound(draft, id, rollback)) return true;
    if (!isChanged(draft, id) || draft.input.seeCluster(id)?.isHeld === true) return false;
    return (draft.rollout.rollback?.includeSucceeded ?? true) || !isWell(draft, id);
  };
  return rollback.legs[rollback.leg]!.flatMap(index => draft.status.waves?.[index]?.clusters.filter(isLeft) ?? []);
}

/** Whether a cluster would have been put back, had nobody held it. */
function isLeftOut(draft: Draft, id: string, rollback: RollbackPlan): boolean {
  const isChosen = rollback.clusters?.includes(id) ?? true;
  const isInLeg = rollback.legs.flat().some(index => draft.status.waves?.[index]?.clusters.includes(id));
  return isChosen && isInLeg && !isInRound(draft, id, rollback) && isChanged(draft, id) && draft.input.seeCluster(id)?.isHeld === true;
}

/** Whether this rollback has already begun with a cluster. */
function isInRound(draft: Draft, id: string, { sinceId }: RollbackPlan): boolean {
  const { grant } = clusterOf(draft, id).spec;
  return grant?.isRollback === true && grant.id > sinceId && stateOf(draft, id) !== 'Skipped';
}

function isWell(draft: Draft, id: string): boolean {
  const state = stateOf(draft, id);
  return state === 'Succeeded' || state === 'Pending';
}

interface Members {
  readonly ids: readonly string[];
  readonly steps: readonly PlacedStep[];
}

function driveStep(draft: Draft, placed: PlacedStep, members: Members): boolean {
  const rollback = draft.engine.rollback!;
  const wave = draft.status.waves?.[rollback.legs[rollback.leg]![0]!];
  const way: Way = { round: rollback.round, leg: rollback.leg, wave };
  let record = findRecord(draft, placed, way);
  if (record && record.status !== 'Running' && record.status !== 'Waiting') return true;
  if (!record) {
    record = beginRecord(draft, placed, way);
    if (isSkipped(draft, placed, record, way) === true) return true;
  }
  return isMemberStep(placed.step) ? driveMembers(draft, placed, record, members) : driveHubStep(draft, placed, record, way);
}

function driveMembers(draft: Draft, placed: PlacedStep, record: StepRecord, members: Members): boolean {
  const rollback = draft.engine.rollback!;
  const isBroken = (id: string) => isInRound(draft, id, rollback) && stateOf(draft, id) === 'RollbackFailed';
  const hasBegun = (id: string) => (clusterOf(draft, id).spec.grant?.id ?? 0) >= record.firstId;
  const waiting = members.ids.filter(id => !hasBegun(id) && !isBroken(id));
  start(draft, waiting, { members, grant: grantOf(placed, record, members) });
  const begun = members.ids.filter(hasBegun);
  const failed = begun.filter(isBroken);
  record.succeeded = begun.filter(id => !isInFlight(clusterOf(draft, id))).length - failed.length;
  if (failed.length > 0) record.failed = failed.length;
  if (members.ids.some(id => !hasBegun(id) && !isBroken(id)) || inFlight(draft, members.ids).length > 0) return false;
  endRecord(draft, record, failed.length > 0 ? 'Failed' : 'Succeeded', failed.length > 0 ? namesOf(draft, failed) : undefined);
  return true;
}

function grantOf(placed: PlacedStep, { id, attempt }: StepRecord, { steps }: Members): Grant {
  const last = steps.findLast(one => isMemberStep(one.step));
  return grantFor(placed, { id, attempt, isRollback: true, ...(last?.position === placed.position && { isLast: true }) });
}

/** Those that are broken come first: they are away anyway, and a healthy one that is put back while they wait would be one more. */
function start(draft: Draft, waiting: readonly string[], { members, grant }: { members: Members; grant: Grant }): void {
  const limit = countOf(draft.rollout.rollback?.maxConcurrency ?? '100%', members.ids.length, 1);
  const most = maxUnavailable(draft);
  const well = waiting.filter(id => isWell(draft, id));
  let busy = inFlight(draft).length;
  for (const id of waiting.filter(one => !well.includes(one))) if (!begin(id)) return;
  for (const id of well) {
    const away = busy + allClusters(draft).filter(one => hasFailed(draft, one)).length;
    // Nothing else would ever make room.
    if (away >= most && busy > 0) return;
    if (!begin(id)) return;
  }

  function begin(id: string): boolean {
    if (busy >= limit) return false;
    if (draft.hubRoom <= 0) {
      draft.waitsForHub = true;
      return false;
    }
    busy++;
    draft.hubRoom--;
    grantTo(draft, id, grant);
    return true;
  }
}

/** Their last step was skipped, so nobody has said so. */
function markPutBack(draft: Draft, ids: readonly string[], rollback: RollbackPlan): void {
  for (const id of ids)
    if (isInRound(draft, id, rollback) && stateOf(draft, id) === 'RollingBack') stand(draft, id, { state: 'RolledBack' });
}

function markWave({ status }: Draft, index: number, { ends }: RollbackPlan): void {
  const wave = status.waves?.[index];
  if (wave && ends !== 'Running' && wave.startedAt !== undefined) wave.phase = 'RolledBack';
}

function end(draft: Draft, rollback: RollbackPlan): void {
  const { engine } = draft;
  rollback.isDone = true;
  if (rollback.ends === 'Running') return;
  const failed = allClusters(draft).filter(id => isInRound(draft, id, rollback) && stateOf(draft, id) === 'RollbackFailed');
  const isBad = failed.length > 0 || recordsOf(draft).some(({ round, status }) => round === rollback.round && status === 'Failed');
  if (isBad) {
    const message = failed.length > 0 ? `Not put back: ${namesOf(draft, failed)}` : 'A step of the rollback failed';
    finish(draft, 'RollbackFailed', { reason: 'RollbackFailed', message });
    return tell(draft, { event: 'RollbackFailed', message, nonce: String(rollback.round) });
  }
  if (rollback.ends === 'Failed' && engine.failure) return failRun(draft, engine.failure);
  const held = allClusters(draft).filter(id => isLeftOut(draft, id, rollback));
  const left = held.length > 0 ? `; not put back, because they are held: ${namesOf(draft, held)}` : '';
  const message = `${engine.failure?.message ?? 'The run was rolled back'}${left}`;
  finish(draft, 'RolledBack', { reason: engine.failure?.reason ?? 'RolledBack', message });
  tell(draft, { event: 'RunRolledBack', message, nonce: String(rollback.round) });
}

const namesOf = (draft: Draft, ids: readonly string[]): string => {
  const names = ids.slice(0, 10).map(id => titleOf(draft, id));
  return ids.length > 10 ? `${names.join(', ')} and ${ids.length - 10} more` : names.join(', ');
};
