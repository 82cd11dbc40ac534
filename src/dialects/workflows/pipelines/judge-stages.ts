import { approvalOutputs } from '../approvals/approval-outputs.ts';
import { judgeRequest, type RequestVerdict } from '../approvals/judge-request.ts';
import { nestedOutputs } from '../approvals/nested-outputs.ts';
import type { ApprovalRequest } from '../kinds/approval-request.ts';
import type { StageState } from '../kinds/pipeline.ts';
import { isTerminal, type WorkflowRun } from '../kinds/workflow-run.ts';
import { publishedOutputs } from './pipeline-scope.ts';
import { endStage, isBad, isGood, wake, type PipelineDraft } from './pipeline-state.ts';
import { startRuns } from './begin-stage.ts';

/** Sees how far the stages are that were begun. */
export function judgeStages(draft: PipelineDraft): void {
  for (const [index, stage] of draft.stages.entries()) {
    if (stage.phase === 'Pending' || isGood(stage) || isBad(stage)) continue;
    if (stage.approvalRequest !== undefined && stage.runs === undefined) judgeQuestion(draft, index, stage);
    else judgeRuns(draft, index, stage);
  }
}

function judgeQuestion(draft: PipelineDraft, index: number, stage: StageState): void {
  const refusal = draft.input.refusals.get(stage.approvalRequest!);
  if (refusal !== undefined) return endStage(draft, index, 'Failed', refusal);
  const request = draft.input.findRequest(stage.approvalRequest!);
  if (!request) {
    const isAsked = !draft.engine.requests.some(order => order.stage === index);
    if (isAsked) endStage(draft, index, 'Failed', `The request ${stage.approvalRequest} was deleted`);
    return;
  }
  const verdict = judgeRequest(request, draft.now, { isSuperseded: request.status?.phase === 'Superseded' });
  if (verdict.phase === 'Pending') {
    if (request.spec.expiresAt !== undefined) wake(draft, new Date(request.spec.expiresAt));
    return;
  }
  tellDecision(draft, stage, verdict);
  if (draft.plan[index]!.approval) decide(draft, index, request, verdict);
  else answer(draft, index, request, verdict);
}

function decide(draft: PipelineDraft, index: number, request: ApprovalRequest, verdict: RequestVerdict): void {
  const { name } = draft.plan[index]!;
  draft.engine.context = { ...draft.engine.context, [name]: nestedOutputs(approvalOutputs(request, verdict)) };
  const { message = '' } = verdict;
  if (verdict.phase === 'Approved') return endStage(draft, index, 'Succeeded', message);
  if (verdict.phase === 'Expired') return endStage(draft, index, 'Expired', message);
  if (verdict.decision?.decision === 'RejectAndRollback') draft.engine.failure = { phase: 'Rejected', message: `${name}: ${message}` };
  endStage(draft, index, 'Rejected', message);
}

/** Values for variables were asked for. */
function answer(draft: PipelineDraft, index: number, request: ApprovalRequest, { phase, message = '', decision }: RequestVerdict): void {
  const { runtimeInputs } = draft.plan[index]!;
  const isDefaulted = phase === 'Expired' && runtimeInputs?.onTimeout === 'ContinueWithDefaults';
  if (phase === 'Expired' && !isDefaulted) return endStage(draft, index, 'Expired', message);
  if (phase !== 'Approved' && !isDefaulted) return endStage(draft, index, 'Rejected', message);
  const asked = (request.spec.variables ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  draft.status.variables = { ...Object.fromEntries(asked), ...draft.status.variables, ...(isDefaulted ? {} : decision?.variables) };
  startRuns(draft, index);
}

function tellDecision(draft: PipelineDraft, stage: StageState, { phase, message }: RequestVerdict): void {
  draft.happenings.push({ event: 'ApprovalDecided', message: `${stage.name}: ${message ?? phase}`, nonce: stage.approvalRequest! });
}

function judgeRuns(draft: PipelineDraft, index: number, stage: StageState): void {
  const { input, engine } = draft;
  const seen = (stage.runs ?? []).map(name => ({ name, run: input.findRun(name), refusal: input.refusals.get(name) }));
  const refused = seen.find(one => one.refusal !== undefined);
  if (refused) return endStage(draft, index, 'Failed', refused.refusal!);
  const states = seen.map(({ name, run }) => ({
    name,
    run,
    phase: run ? phaseOf(run) : engine.made.includes(name) ? 'Deleted' : 'Queued',
  }));
  if (states.some(({ phase }) => phase !== 'Deleted' && !isTerminal(phase))) {
    stage.phase = underWay(states.map(one => one.phase));
    return;
  }
  const bad = states.filter(({ phase }) => phase !== 'Succeeded');
  for (const { run } of states) if (run?.status?.phase === 'Succeeded') engine.context = { ...engine.context, ...publishedOutputs(run) };
  if (bad.length === 0) return endStage(draft, index, 'Succeeded');
  const message = bad.map(({ name, phase, run }) => `${name} is ${phase}${because(run)}`).join('; ');
  endStage(draft, index, badPhase(bad.map(one => one.phase)), message);
}

const because = (run: WorkflowRun | undefined): string => (run?.status?.message ? `: ${run.status.message}` : '');

/** What a run was before somebody asked for something new does not count. */
function phaseOf({ status }: WorkflowRun): string {
  return status?.phase ?? 'Queued';
}

function underWay(phases: readonly string[]): StageState['phase'] {
  const live = phases.filter(phase => !isTerminal(phase) && phase !== 'Deleted');
  if (live.every(phase => phase === 'Paused')) return 'Paused';
  return live.every(phase => phase === 'Waiting') ? 'Waiting' : 'Running';
}

function badPhase(phases: readonly string[]): StageState['phase'] {
  for (const phase of ['Aborted', 'Rejected', 'Expired'] as const) if (phases.every(one => one === phase)) return phase;
  return 'Failed';
}
