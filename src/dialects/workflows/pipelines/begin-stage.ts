import { durationMs } from '../../../util/duration.ts';
import { errorText } from '../../../util/error-text.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { requestName } from '../approvals/request-approval.ts';
import { evaluateCondition } from '../expressions/condition.ts';
import { hasExpressions, renderText } from '../expressions/render-text.ts';
import type { Stage } from '../kinds/pipeline.ts';
import type { ArtifactChoice } from '../kinds/workflow-run.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { pipelineScope } from './pipeline-scope.ts';
import { endStage, type PipelineDraft, type RunOrder } from './pipeline-state.ts';
import { requestPlace, stageRunName } from './stage-names.ts';

/** The turn of a stage has come. */
export function beginStage(draft: PipelineDraft, index: number): void {
  const { engine, stages, plan, now } = draft;
  const stage = plan[index]!;
  engine.attempts[index] = (engine.attempts[index] ?? 0) + 1;
  Object.assign(stages[index]!, { phase: 'Running', startedAt: now.toISOString() });
  try {
    if (isSkipped(draft, stage)) return endStage(draft, index, 'Skipped');
  } catch (error) {
    return endStage(draft, index, 'Failed', errorText(error));
  }
  if (stage.approval) return ask(draft, index, 'approval', stage.approval.timeout);
  if (unanswered(draft, stage).length > 0) return ask(draft, index, 'inputs', stage.runtimeInputs?.timeout);
  startRuns(draft, index);
}

function isSkipped(draft: PipelineDraft, { skip = 'Never' }: Stage): boolean {
  if (skip === 'Always' || skip === 'Never') return skip === 'Always';
  return evaluateCondition(skip, pipelineScope(draft));
}

/** A variable has one value in all of the pipeline: what is settled is not asked for again. */
export const unanswered = ({ status }: PipelineDraft, { runtimeInputs }: Stage): string[] =>
  (runtimeInputs?.names ?? []).filter(name => !Object.hasOwn(status.variables ?? {}, name));

const defaultTimeout = '24h';
const maxTimeoutMs = durationMs('24d');
const expiryOf = (timeout: string | undefined, now: Date): Date =>
  new Date(now.getTime() + Math.min(maxTimeoutMs, durationMs(timeout ?? defaultTimeout)));

function ask(draft: PipelineDraft, index: number, about: 'approval' | 'inputs', timeout: string | undefined): void {
  const { engine, stages, input, now } = draft;
  const { name = '', uid = '' } = input.run.metadata;
  const place = requestPlace(index, engine.attempts[index]!, about);
  const request = requestName({ name, uid }, place);
  engine.requests.push({ place, stage: index, expiresAt: timestamp(expiryOf(timeout, now)) });
  Object.assign(stages[index]!, { phase: 'Waiting', approvalRequest: request });
  draft.happenings.push({ event: 'ApprovalRequested', message: `${stages[index]!.name} waits for ${request}`, nonce: request });
}

/** Orders the runs of a stage: one, or one for each infrastructure. */
export function startRuns(draft: PipelineDraft, index: number): void {
  const { engine, stages, plan } = draft;
  try {
    const orders = ordersOf(draft, plan[index]!, index);
    engine.orders.push(...orders);
    Object.assign(stages[index]!, { phase: 'Running', runs: orders.map(order => order.name) });
  } catch (error) {
    endStage(draft, index, 'Failed', errorText(error));
  }
}

function ordersOf(draft: PipelineDraft, stage: Stage, index: number): RunOrder[] {
  const { input, engine } = draft;
  const scope = pipelineScope(draft);
  const name = renderText(stage.workflowRef?.name ?? '', scope);
  const workflow = input.findWorkflow(name);
  if (!workflow) throw new Error(`There is no Workflow "${name}"`);
  const artifacts = (input.run.spec.artifacts ?? []).filter(choice => isFor(workflow, choice));
  const shared = { workflow: name, variables: variablesFor(draft, stage, workflow), ...(artifacts.length > 0 && { artifacts }) };
  const place = {
    uid: input.run.metadata.uid ?? '',
    run: input.run.metadata.name ?? '',
    stage: stage.name,
    index,
    attempt: engine.attempts[index] ?? 1,
  };
  const infrastructures = (stage.infrastructureRefs ?? []).map(one => renderText(one, scope));
  if (infrastructures.length === 0) return [{ name: stageRunName(place), ...shared }];
  return infrastructures.map(infrastructure => ({ name: stageRunName({ ...place, infrastructure }), ...shared, infrastructure }));
}

/** What the stage says goes before what is settled for all of the pipeline, but for what the stage asked for. */
export function variablesFor(draft: PipelineDraft, stage: Stage, { spec }: Workflow): Record<string, string> {
  const scope = pipelineScope(draft);
  const settled = draft.status.variables ?? {};
  const asked = new Set(stage.runtimeInputs?.names ?? []);
  const values: Record<string, string> = {};
  for (const { name, fixed } of spec.variables ?? []) {
    if (Object.hasOwn(settled, name) && fixed !== true) values[name] = settled[name]!;
  }
  for (const [name, value] of Object.entries(stage.variables ?? {})) if (!asked.has(name)) values[name] = renderText(value, scope);
  return values;
}

function isFor({ spec }: Workflow, { service }: ArtifactChoice): boolean {
  const services = [spec.serviceRef, ...(spec.phases ?? []).map(phase => phase.serviceRef)];
  return service === undefined || services.some(one => one !== undefined && (one === service || hasExpressions(one)));
}
