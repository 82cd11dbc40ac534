import { durationMs } from '../../../util/duration.ts';
import { cloneJson, jsonEqual, type JsonObject } from '../../../util/json.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { isTerminal } from '../kinds/workflow-run.ts';
import { admitRun, takeSnapshot } from './admit-run.ts';
import { advanceRun } from './advance-run.ts';
import { beginRollback } from './begin-rollback.ts';
import { catchUp } from './catch-up.ts';
import { isInterrupted, isRollingBack } from './drive-slot.ts';
import { abortRun } from './end-run.ts';
import { followClusters } from './follow-clusters.ts';
import { phasesOf } from './generate-phases.ts';
import { intervene } from './intervene.ts';
import { heedJump, pauseRun } from './pause-run.ts';
import { previewPhases } from './preview-phases.ts';
import { resolveRun } from './resolve-run.ts';
import { rollBackRun } from './roll-back-run.ts';
import { inFlight } from './run-budgets.ts';
import { obeyed, ordersOf } from './run-orders.ts';
import { planRun } from './run-plan.ts';
import { wake, type Draft, type RunInput, type RunStep } from './run-step.ts';
import type { RunStatus } from './run-status.ts';
import { summarize } from './summarize-run.ts';

/** The next step of a run. Its status must be written before anybody acts on the rest; a step that was lost is made again from the status before. */
export function nextRun(input: RunInput): RunStep {
  const draft = draftOf(input);
  go(draft);
  if (draft.writes.size > 0) draft.engine.orders = ordersOf(draft.writes.values());
  draft.status.engine = draft.engine;
  summarize(draft);
  keepLines(draft);
  const { status, happenings, wants, asksForPause, waitsForHub, isExpired, wakeAt } = draft;
  const writes = [...draft.writes.values()];
  return { status, writes, inFlight: inFlight(draft).length, happenings, wants, asksForPause, waitsForHub, isExpired, wakeAt };
}

/** What is said goes with what it tells of: who dies in between has said nothing that did not come true. */
function keepLines({ engine, lines, status, input }: Draft): void {
  if (lines.length > 0) engine.lines = lines;
  else if (engine.lines && !jsonEqual(status, input.before)) delete engine.lines;
}

function draftOf(input: RunInput): Draft {
  const { before = {}, now } = input;
  // What is large never changes.
  const { snapshot, resolvedClusters, ...rest } = before;
  const status: RunStatus = {
    ...(cloneJson(rest as JsonObject) as RunStatus),
    ...(snapshot && { snapshot }),
    ...(resolvedClusters && { resolvedClusters }),
  };
  const draft: Draft = {
    input,
    now,
    status,
    engine: status.engine ?? { lastId: 0, leg: 0, stage: 'Before' },
    plan: undefined,
    spec: {},
    rollout: {},
    writes: new Map(),
    overlay: new Map(obeyed(before.engine?.orders ?? [], input.clusterRuns)),
    happenings: [],
    lines: [],
    hubRoom: input.hubRoom,
    wants: undefined,
    asksForPause: false,
    waitsForHub: false,
    isExpired: false,
    wakeAt: undefined,
  };
  readSnapshot(draft);
  return draft;
}

function readSnapshot(draft: Draft): void {
  const { snapshot } = draft.status;
  if (!snapshot) return;
  const spec = snapshot.workflow.spec as Partial<Workflow['spec']>;
  const phases = draft.input.mode === 'Preview' ? previewPhases(snapshot.provider.type) : phasesOf(spec, snapshot.provider.type);
  draft.spec = spec;
  draft.rollout = spec.rollout ?? {};
  draft.plan = planRun(phases, spec.rollout?.scope);
}

function go(draft: Draft): void {
  const { status, input } = draft;
  if (isTerminal(status.phase)) return afterEnd(draft);
  if (!status.snapshot) {
    if (!takeSnapshot(draft)) return;
    readSnapshot(draft);
  }
  if (status.startedAt === undefined && !admitRun(draft)) return;
  if (input.state === 'Abort') return abortRun(draft);
  heedJump(draft);
  followClusters(draft);
  goOn(draft);
}

/** Every round ends with something to wait for, or with the end of the run. */
function goOn(draft: Draft): void {
  const { status, engine } = draft;
  for (let round = 0; round < 3; round++) {
    if (status.finishedAt !== undefined || !turnBack(draft) || pauseRun(draft)) return;
    if (isRollingBack(engine)) rollBackRun(draft);
    else if (engine.intervention) intervene(draft, engine.intervention);
    else if (resolveRun(draft)) advanceRun(draft);
    const isDetour = isInterrupted(draft) || engine.rollback?.isDone === true;
    if (!isDetour || draft.wants !== undefined) return;
  }
}

/** Begins the rollback that somebody wants. False when there is nothing to do now: clusters that are under way finish their step. */
function turnBack(draft: Draft): boolean {
  const { status, engine, input } = draft;
  if (input.state !== 'Rollback' || isRollingBack(engine)) return true;
  status.phase = 'RollingBack';
  if (inFlight(draft).length > 0) return false;
  beginRollback(draft, { ends: 'RolledBack' });
  return status.finishedAt === undefined;
}

function afterEnd(draft: Draft): void {
  const { status, input } = draft;
  if (mayRollBack(draft)) {
    beginRollback(draft, { ends: 'RolledBack' });
    return goOn(draft);
  }
  if (status.phase === 'Succeeded' && input.mode === 'Apply') {
    followClusters(draft);
    catchUp(draft);
  }
  expire(draft);
}

/** Whether somebody wants back what is over. */
function mayRollBack({ status, input, engine }: Draft): boolean {
  if (input.state !== 'Rollback' || input.mode === 'Preview' || !status.snapshot) return false;
  if (status.phase === 'Succeeded') return input.isNewest;
  if (status.phase !== 'Failed' && status.phase !== 'Aborted' && status.phase !== 'RollbackFailed') return false;
  return engine.rollback === undefined || input.generation > engine.rollback.generation;
}

const defaultTtl = { succeeded: '720h', failed: '2160h' };

function expire(draft: Draft): void {
  const { status, spec, now } = draft;
  if (status.finishedAt === undefined) return;
  const ttl = status.phase === 'Succeeded' ? (spec.ttl?.succeeded ?? defaultTtl.succeeded) : (spec.ttl?.failed ?? defaultTtl.failed);
  const endsAt = Date.parse(status.finishedAt) + durationMs(ttl);
  if (now.getTime() >= endsAt) draft.isExpired = true;
  else wake(draft, endsAt);
}
