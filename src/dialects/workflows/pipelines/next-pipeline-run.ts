import { withReadiness } from '../../../api/conditions.ts';
import { courseOfRun } from '../kinds/workflow-run.ts';
import { durationMs } from '../../../util/duration.ts';
import { cloneJson } from '../../../util/json.ts';
import type { StageState } from '../kinds/pipeline.ts';
import { isTerminal, type RunState, type WorkflowRun } from '../kinds/workflow-run.ts';
import { deliveryAnnotations } from '../names.ts';
import { beginStage } from './begin-stage.ts';
import { finishPipeline } from './finish-pipeline.ts';
import { judgeStages } from './judge-stages.ts';
import {
  endStage,
  groupsOf,
  isBad,
  isGood,
  wake,
  type PipelineDraft,
  type PipelineEngine,
  type PipelineInput,
  type PipelinePhase,
  type PipelineStatus,
  type PipelineStep,
} from './pipeline-state.ts';
import { rollBackStages } from './roll-back-stages.ts';

const ttl = '2160h';

/** The next step of a pipeline. Its status must be written before anybody acts on it; a step that was lost is made again from the status before. */
export function nextPipelineRun(input: PipelineInput): PipelineStep {
  const draft = draftOf(input);
  go(draft);
  summarize(draft);
  const { status, happenings, isExpired, wakeAt } = draft;
  return { status, states: [...draft.states].map(([name, state]) => ({ name, state })), happenings, isExpired, wakeAt };
}

export function draftOf(input: PipelineInput): PipelineDraft {
  const status = cloneJson(input.run.status ?? {}) as unknown as PipelineStatus;
  const triggeredBy = input.run.metadata.annotations?.[deliveryAnnotations.triggeredBy];
  if (triggeredBy !== undefined) status.triggeredBy = triggeredBy;
  const engine: PipelineEngine = (status.engine ??= {
    attempts: {},
    orders: [],
    requests: [],
    made: [],
    context: {},
    app: { ...input.app },
    paused: [],
  });
  if (status.snapshot === undefined && input.pipeline && !isTerminal(status.phase)) {
    status.snapshot = input.pipeline.spec;
    status.variables = { ...input.run.spec.variables };
    status.stages = input.pipeline.spec.stages.map(({ name }) => ({ name, phase: 'Pending' }));
  }
  return {
    input,
    now: input.now,
    status,
    engine,
    stages: (status.stages ??= []),
    plan: status.snapshot?.stages ?? [],
    states: new Map(),
    happenings: [],
    isExpired: false,
    wakeAt: undefined,
  };
}

function go(draft: PipelineDraft): void {
  const { status, input, engine } = draft;
  const state: RunState = input.run.spec.state ?? 'Run';
  if (isTerminal(status.phase)) return afterEnd(draft, state);
  if (!status.snapshot) return finishPipeline(draft, 'Failed', `There is no Pipeline "${input.run.spec.pipelineRef.name}"`);
  if (status.startedAt === undefined) {
    if (state === 'Abort' || state === 'Rollback') return abort(draft);
    if (state !== 'Run') return wait(draft, state);
    status.startedAt = draft.now.toISOString();
    draft.happenings.push({ event: 'RunStarted', message: 'The pipeline begins', phase: 'Running' });
  }
  takeDelivery(draft);
  judgeStages(draft);
  if (state === 'Abort') return abort(draft);
  if (state === 'Rollback' || engine.rollback) return rollBackStages(draft);
  steer(draft, state);
  if (state === 'Run') advance(draft);
  else status.phase = 'Paused';
}

/** Not begun yet, and not to be. */
function wait({ status }: PipelineDraft, state: RunState): void {
  status.phase = state === 'Pause' ? 'Paused' : 'Waiting';
  status.message = state === 'Pause' ? 'Paused before it began' : 'Planned; begins when its state is Run';
}

/** What was ordered and is there need not be ordered again. */
function takeDelivery({ engine, input }: PipelineDraft): void {
  const isThere = (name: string) => input.findRun(name) !== undefined || input.refusals.has(name);
  engine.made.push(...engine.orders.filter(order => input.findRun(order.name) !== undefined).map(order => order.name));
  engine.orders = engine.orders.filter(order => !isThere(order.name));
  const isAsked = (stage: StageState | undefined) =>
    stage?.approvalRequest !== undefined && input.findRequest(stage.approvalRequest) !== undefined;
  engine.requests = engine.requests.filter(order => !isAsked(input.run.status?.stages?.[order.stage]));
}

/** Runs of stages pause and go on with the pipeline. */
function steer(draft: PipelineDraft, state: RunState): void {
  const { engine, stages, input } = draft;
  const names = stages.filter(stage => !isGood(stage) && !isBad(stage)).flatMap(stage => stage.runs ?? []);
  const live = names.flatMap(name => input.findRun(name) ?? []).filter(run => !isTerminal(run.status?.phase));
  if (state !== 'Run') {
    for (const { metadata, spec } of live) {
      if (spec.state === 'Pause' || engine.paused.includes(metadata.name!)) continue;
      engine.paused.push(metadata.name!);
    }
    for (const name of engine.paused) if (isWanted(input.findRun(name), 'Run')) draft.states.set(name, 'Pause');
    return;
  }
  engine.paused = engine.paused.filter(name => live.some(run => run.metadata.name === name && run.spec.state === 'Pause'));
  for (const name of engine.paused) draft.states.set(name, 'Run');
}

const isWanted = (run: WorkflowRun | undefined, state: RunState): boolean => run !== undefined && (run.spec.state ?? 'Run') === state;

/** Begins what can be begun, and ends what is over. */
function advance(draft: PipelineDraft): void {
  const { status, stages, engine } = draft;
  for (const group of groupsOf(draft.plan)) {
    for (const index of group) if (stages[index]!.phase === 'Pending') beginStage(draft, index);
    const members = group.map(index => stages[index]!);
    if (!members.every(stage => isGood(stage) || isBad(stage))) {
      status.phase = phaseOfGroup(members);
      delete status.message;
      return;
    }
    const failed = members.find(isBad);
    if (failed) return fail(draft, failed);
  }
  if (engine.orders.length === 0) finishPipeline(draft, 'Succeeded');
}

function phaseOfGroup(members: readonly StageState[]): PipelinePhase {
  const live = members.filter(stage => !isGood(stage) && !isBad(stage));
  return live.every(stage => stage.phase === 'Waiting') ? 'Waiting' : 'Running';
}

function fail(draft: PipelineDraft, stage: StageState): void {
  const phase = stage.phase === 'Rejected' || stage.phase === 'Expired' || stage.phase === 'Aborted' ? stage.phase : 'Failed';
  const message = `Stage "${stage.name}" is ${stage.phase}${stage.message === undefined ? '' : `: ${stage.message}`}`;
  // Somebody asked for it, whatever the pipeline says.
  const mustRollBack = draft.engine.failure !== undefined;
  draft.engine.failure = { phase, message };
  if (draft.status.snapshot?.rollbackOnFailure !== true && !mustRollBack) return finishPipeline(draft, phase, message);
  draft.happenings.push({ event: 'RollbackStarted', message, nonce: String(draft.input.run.metadata.generation ?? 0) });
  rollBackStages(draft);
}

/** Stops where it is. */
function abort(draft: PipelineDraft): void {
  const { stages, input, engine, status } = draft;
  engine.orders = [];
  engine.requests = [];
  let isUnderWay = false;
  for (const [index, stage] of stages.entries()) {
    if (isGood(stage) || isBad(stage)) continue;
    const live = (stage.runs ?? []).flatMap(name => input.findRun(name) ?? []).filter(run => !isTerminal(run.status?.phase));
    for (const { metadata, spec } of live) if (spec.state !== 'Abort') draft.states.set(metadata.name!, 'Abort');
    if (live.length > 0) isUnderWay = true;
    else if (stage.phase !== 'Pending') endStage(draft, index, 'Aborted');
  }
  if (!isUnderWay) return finishPipeline(draft, 'Aborted', 'Aborted');
  status.phase = 'Running';
  status.message = 'Aborting';
}

const resumable: readonly PipelinePhase[] = ['Failed', 'Rejected', 'Expired', 'Aborted'];

function afterEnd(draft: PipelineDraft, state: RunState): void {
  const { status, input, engine } = draft;
  const generation = input.run.metadata.generation ?? 0;
  const mayRollBack =
    status.phase === 'Succeeded' || status.phase === 'Failed' || status.phase === 'Aborted' || status.phase === 'RollbackFailed';
  if (state === 'Rollback' && mayRollBack && (engine.rollback?.generation ?? -1) < generation && status.snapshot) {
    engine.rollback = { generation, failed: [] };
    delete engine.failure;
    delete status.finishedAt;
    draft.happenings.push({ event: 'RollbackStarted', message: 'The pipeline is rolled back', nonce: String(generation) });
    return rollBackStages(draft);
  }
  const from = draft.plan.findIndex(stage => stage.name === input.run.spec.resumeFrom);
  const isAsked = from >= 0 && state === 'Run' && (engine.resumedAt ?? status.observedGeneration ?? generation) < generation;
  if (isAsked && resumable.includes(status.phase!)) return resume(draft, from, generation);
  expire(draft);
}

function resume(draft: PipelineDraft, from: number, generation: number): void {
  const { status, engine, stages, plan } = draft;
  engine.resumedAt = generation;
  delete engine.failure;
  delete status.finishedAt;
  delete status.message;
  const first = groupsOf(plan).find(group => group.includes(from))?.[0] ?? from;
  for (const [index, { name }] of plan.entries()) {
    const isKept = index < from && (index < first || isGood(stages[index]!));
    if (!isKept) stages[index] = { name, phase: 'Pending' };
  }
  status.phase = 'Running';
  draft.happenings.push({ event: 'RunStarted', message: `The pipeline goes on from ${plan[from]!.name}`, nonce: String(generation) });
  advance(draft);
}

function expire(draft: PipelineDraft): void {
  const { status, now } = draft;
  if (status.finishedAt === undefined) return;
  const endsAt = Date.parse(status.finishedAt) + durationMs(ttl);
  if (now.getTime() >= endsAt) draft.isExpired = true;
  else wake(draft, new Date(endsAt));
}

function summarize({ status, input, now }: PipelineDraft): void {
  const { generation } = input.run.metadata;
  if (generation !== undefined) status.observedGeneration = generation;
  const { phase = 'Queued', message = '' } = status;
  const isOver = isTerminal(phase);
  const report = (type: string, is: boolean) => ({ type, status: is ? ('True' as const) : ('False' as const), reason: phase, message });
  status.conditions = withReadiness(
    status.conditions,
    [
      report('Ready', phase === 'Succeeded'),
      report('Progressing', !isOver && phase !== 'Paused'),
      ...(isOver ? [report('Succeeded', phase === 'Succeeded')] : []),
    ],
    { course: courseOfRun(phase), now, generation },
  );
}
