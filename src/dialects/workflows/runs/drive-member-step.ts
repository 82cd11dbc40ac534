import { durationMs } from '../../../util/duration.ts';
import { resolveMessages } from '../infrastructure/resolve-messages.ts';
import { isInFlight, type Grant } from './cluster-grant.ts';
import { grantFor } from './grant-step.ts';
import { failedStep, failedWithin } from './handle-failure.ts';
import { publish } from './publish-outputs.ts';
import { allClusters, clusterOf, grantTo, stand, stateOf, tell, titleOf, wake, waveSettings, type Draft } from './run-step.ts';
import { hasFailed, inFlight, isUnavailable, judgeBudgets, maxConcurrency, maxUnavailable } from './run-budgets.ts';
import { memberSteps, type PlacedStep } from './run-plan.ts';
import type { StepRecord, WaveRecord } from './run-status.ts';
import { endRecord, isDue, type Way } from './step-records.ts';

/** Clusters that take no part in further steps. */
const leftOut: ReadonlySet<string> = new Set(['Deferred', 'Skipped', 'Aborted', 'RollingBack', 'RolledBack', 'RollbackFailed']);

export interface StepSight {
  /** Those whose turn has not come, in order. */
  readonly waiting: string[];
  readonly running: string[];
  readonly failed: string[];
  readonly done: string[];
}

/** How a step stands on the clusters of a wave. Those that failed before it have no part in it. */
export function seeStep(draft: Draft, wave: WaveRecord, record: StepRecord): StepSight {
  const sight: StepSight = { waiting: [], running: [], failed: [], done: [] };
  for (const id of wave.clusters) {
    const state = stateOf(draft, id);
    if (leftOut.has(state)) continue;
    const cluster = clusterOf(draft, id);
    const grantId = cluster.spec.grant?.id ?? 0;
    const isMine = grantId >= record.firstId;
    if (state === 'Failed' || state === 'TimedOut') {
      if (isMine) (grantId < record.id ? sight.waiting : sight.failed).push(id);
    } else if (!isMine) sight.waiting.push(id);
    else (isInFlight(cluster) ? sight.running : sight.done).push(id);
  }
  return sight;
}

/** Grants a step to as many clusters as may do it now, and ends it when all have. True when it is over. */
export function driveMemberStep(draft: Draft, placed: PlacedStep, record: StepRecord, { wave }: Way): boolean {
  if (!wave || draft.status.resolvedClusters === undefined) {
    endRecord(draft, record, 'Failed', resolveMessages.notResolved);
    failedStep(draft, placed, record, ['ApplicationError']);
    return false;
  }
  if (!draft.engine.breach && isDue(draft, record)) startClusters(draft, wave, { record, grant: grantOf(draft, placed, record, wave) });
  judgeBudgets(draft);
  const { waiting, running, failed, done } = seeStep(draft, wave, record);
  count(record, done.length, failed.length);
  if (running.length > 0) return false;
  if (draft.engine.breach) {
    // What else is under way finishes first.
    if (inFlight(draft).length > 0) return false;
    endRecord(draft, record, 'Failed', draft.engine.breach.message);
    failedStep(draft, placed, record, undefined);
    return false;
  }
  if (waiting.length > 0) return false;
  if (failed.length > 0 && failedWithin(draft, placed, record, failed)) return false;
  endRecord(draft, record, 'Succeeded', failed.length > 0 ? `${failed.length} failed, as many may` : undefined);
  return publish(draft, placed, record, wave);
}

function count(record: StepRecord, succeeded: number, failed: number): void {
  record.succeeded = succeeded;
  if (failed > 0 || record.failed !== undefined) record.failed = failed;
}

function grantOf(draft: Draft, placed: PlacedStep, { id, attempt }: StepRecord, wave: WaveRecord): Grant {
  const isLast = memberSteps(draft.plan!).at(-1) === placed;
  const progressDeadline = waveSettings(draft, wave)?.progressDeadline;
  return grantFor(placed, { id, attempt, ...(isLast && { isLast }), ...(progressDeadline !== undefined && { progressDeadline }) });
}

/** Those that cannot or must not take part are set aside; the others start as far as limits allow. */
function startClusters(draft: Draft, wave: WaveRecord, { record, grant }: { record: StepRecord; grant: Grant }): void {
  const mayStart = startRule(draft, wave);
  for (const id of seeStep(draft, wave, record).waiting) {
    const seen = draft.input.seeCluster(id);
    if (!seen) continue;
    if (seen.isHeld || !seen.isReady) {
      setAside(draft, wave, id, seen.isHeld);
      judgeBudgets(draft);
      if (draft.engine.breach) return;
    } else if (!mayStart(id)) return;
    else grantTo(draft, id, grant);
  }
}

function setAside(draft: Draft, wave: WaveRecord, id: string, isHeld: boolean): void {
  const name = titleOf(draft, id);
  const policy = isHeld ? 'Defer' : unavailablePolicy(draft);
  const reason = isHeld ? 'Held' : 'NotReady';
  if (policy === 'Skip') return stand(draft, id, { state: 'Skipped', reason });
  if (policy === 'Defer') {
    stand(draft, id, { state: 'Deferred', reason });
    return tell(draft, { event: 'ClusterDeferred', message: `Cluster ${name} catches up later`, cluster: name, wave: wave.name });
  }
  stand(draft, id, { state: 'Failed', reason, message: 'not ready when its turn came' });
  tell(draft, { event: 'ClusterFailed', message: `Cluster ${name} is not ready`, cluster: name, wave: wave.name });
}

function unavailablePolicy({ status }: Draft): string {
  const { unavailableClusters } = status.snapshot?.infrastructure.spec ?? {};
  return typeof unavailableClusters === 'string' ? unavailableClusters : 'Defer';
}

/** Whether one more may start, asked before each. Every yes is a start. */
function startRule(draft: Draft, wave: WaveRecord): (id: string) => boolean {
  const { engine, rollout, now } = draft;
  const staggerMs = durationMs(rollout.stagger);
  let room = maxConcurrency(draft, wave) - inFlight(draft, wave.clusters).length;
  let spare =
    maxUnavailable(draft) - (rollout.maxUnavailable === undefined ? 0 : allClusters(draft).filter(id => isUnavailable(draft, id)).length);
  return id => {
    const isAwayAnyway = hasFailed(draft, id);
    if (room <= 0 || (spare <= 0 && !isAwayAnyway)) return false;
    if (draft.hubRoom <= 0) {
      draft.waitsForHub = true;
      return false;
    }
    const nextStart = engine.lastStart === undefined ? 0 : Date.parse(engine.lastStart) + staggerMs;
    if (now.getTime() < nextStart) {
      wake(draft, nextStart);
      return false;
    }
    room--;
    if (!isAwayAnyway) spare--;
    draft.hubRoom--;
    if (staggerMs > 0) engine.lastStart = now.toISOString();
    return true;
  };
}
