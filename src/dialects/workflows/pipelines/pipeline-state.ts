import type { JsonObject } from '../../../util/json.ts';
import type { RunHappening } from '../notifications/herald.ts';
import type { ApprovalRequest } from '../kinds/approval-request.ts';
import type { Pipeline, PipelineRun, Stage, StageState } from '../kinds/pipeline.ts';
import type { ArtifactChoice, RunState, WorkflowRun } from '../kinds/workflow-run.ts';
import type { Workflow } from '../kinds/workflow.ts';

/** A WorkflowRun that is to be made. */
export interface RunOrder {
  readonly name: string;
  readonly workflow: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly artifacts?: readonly ArtifactChoice[];
  readonly infrastructure?: string;
}

/** Somebody who is to be asked. */
export interface RequestOrder {
  readonly place: string;
  readonly stage: number;
  readonly expiresAt: string;
}

/** `PipelineRun.status.engine`: what is needed to go on. */
export interface PipelineEngine {
  /** How often each stage was begun, by its place. */
  attempts: Record<string, number>;
  /** What is to be made. It stays here until it is there. */
  orders: RunOrder[];
  requests: RequestOrder[];
  /** Runs that were there once: one that is missing was deleted. */
  made: string[];
  /** What stages published. */
  context: JsonObject;
  app: { name: string; description: string };
  /** Runs that were paused because the pipeline was. */
  paused: string[];
  /** Why it failed, while earlier stages are put back. */
  failure?: { phase: PipelinePhase; message: string };
  rollback?: { generation: number; failed: string[] };
  /** The generation with which it was last resumed. */
  resumedAt?: number;
}

export type PipelinePhase = NonNullable<NonNullable<PipelineRun['status']>['phase']>;
export type PipelineStatus = Omit<NonNullable<PipelineRun['status']>, 'engine' | 'snapshot'> & {
  engine?: PipelineEngine;
  snapshot?: Pipeline['spec'];
};

export interface PipelineInput {
  readonly run: PipelineRun;
  /** Undefined when it is not there. Needed once. */
  readonly pipeline: Pipeline | undefined;
  readonly app: { readonly name: string; readonly description: string };
  /** Why things could not be made, by name. */
  readonly refusals: ReadonlyMap<string, string>;
  /** Whether a run may not be put back any more. */
  refusesRollback(name: string): boolean;
  findRun(name: string): WorkflowRun | undefined;
  findRequest(name: string): ApprovalRequest | undefined;
  findWorkflow(name: string): Workflow | undefined;
  readonly now: Date;
}

export interface PipelineStep {
  readonly status: PipelineStatus;
  /** What is wanted of runs, in case they do not want it already. */
  readonly states: readonly { readonly name: string; readonly state: RunState }[];
  readonly happenings: readonly RunHappening[];
  readonly isExpired: boolean;
  readonly wakeAt: Date | undefined;
}

/** A step while it is being made. */
export interface PipelineDraft {
  readonly input: PipelineInput;
  readonly now: Date;
  readonly status: PipelineStatus;
  readonly engine: PipelineEngine;
  readonly stages: StageState[];
  readonly plan: readonly Stage[];
  readonly states: Map<string, RunState>;
  readonly happenings: RunHappening[];
  isExpired: boolean;
  wakeAt: Date | undefined;
}

export function wake(draft: PipelineDraft, at: Date): void {
  if (draft.wakeAt === undefined || at < draft.wakeAt) draft.wakeAt = at;
}

/** Stages that go together, by their places. */
export function groupsOf(plan: readonly Stage[]): number[][] {
  const groups: number[][] = [];
  for (const [index, stage] of plan.entries()) {
    if (stage.parallelWithPrevious === true && groups.length > 0) groups.at(-1)!.push(index);
    else groups.push([index]);
  }
  return groups;
}

const goodPhases: readonly StageState['phase'][] = ['Succeeded', 'Skipped'];
const badPhases: readonly StageState['phase'][] = ['Failed', 'Rejected', 'Aborted', 'Expired', 'RolledBack'];
export const isGood = ({ phase }: StageState): boolean => goodPhases.includes(phase);
export const isBad = ({ phase }: StageState): boolean => badPhases.includes(phase);

export function endStage(draft: PipelineDraft, index: number, phase: StageState['phase'], message = ''): void {
  const stage = draft.stages[index]!;
  stage.phase = phase;
  stage.finishedAt = draft.now.toISOString();
  if (message === '') delete stage.message;
  else stage.message = message;
}
