import type { PipelineRun, Stage, StageState } from '../kinds/pipeline.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { groupsOf, isBad, type PipelineStatus } from '../pipelines/pipeline-state.ts';
import { withStatus } from '../runs/run-facts.ts';
import { lineOf } from '../runs/run-places.ts';
import { standingOf } from './barrier-standing.ts';

/** Somebody who comes to the same barrier. */
export interface Party {
  /** As in `run "a"`. */
  readonly title: string;
  /** Behind: it cannot begin before this run ends. */
  readonly standing: 'Here' | 'Coming' | 'Lost' | 'Behind';
  /** How far it is. */
  readonly phase: string;
}

export interface BarrierPlace {
  readonly identifier: string;
  /** The how many-th time it is, from 0. */
  readonly time: number;
}

export interface PartyFinder {
  findRun(name: string): WorkflowRun | undefined;
  findWorkflow(name: string): Workflow | undefined;
}

/** The other runs that a pipeline takes along with a run, as far as they come to the same barrier. */
export function partiesOf(run: WorkflowRun, pipelineRun: PipelineRun, place: BarrierPlace, finder: PartyFinder): Party[] {
  const { snapshot, stages = [], engine } = (pipelineRun.status ?? {}) as unknown as PipelineStatus;
  const plan = snapshot?.stages ?? [];
  const own = stages.findIndex(stage => stage.runs?.includes(run.metadata.name ?? ''));
  const group = groupsOf(plan).find(one => one.includes(own)) ?? [];
  return group.flatMap(index => {
    const [stage, state] = [plan[index]!, stages[index]!];
    if (!state.runs) return partyOfStage(stage, state, finder);
    return state.runs
      .filter(name => name !== run.metadata.name)
      .flatMap(name => partyOfRun(name, isBad(state) || engine?.made.includes(name) === true));
  });

  function partyOfRun(name: string, isGone: boolean): Party[] {
    const other = finder.findRun(name);
    const title = `run "${name}"`;
    if (!other) return [{ title, standing: isGone ? 'Lost' : 'Coming', phase: isGone ? 'not there' : 'not there yet' }];
    const standing = standingOf(withStatus(other), place.identifier, place.time);
    if (standing === 'None') return [];
    const isBehind = standing === 'Coming' && other.status?.startedAt === undefined && isSameLine(run, other);
    return [{ title, standing: isBehind ? 'Behind' : standing, phase: other.status?.phase ?? 'Queued' }];
  }
}

/** A stage whose runs are not ordered yet. */
function partyOfStage({ name, workflowRef }: Stage, state: StageState, { findWorkflow }: PartyFinder): Party[] {
  if (!workflowRef || state.phase === 'Skipped') return [];
  const title = `stage "${name}"`;
  if (isBad(state)) return [{ title, standing: 'Lost', phase: state.phase }];
  const workflow = findWorkflow(workflowRef.name);
  const steps = (workflow?.spec.phases ?? []).flatMap(phase => (phase.groups ?? []).flatMap(group => group.steps ?? []));
  if (workflow && !steps.some(step => step.type === 'Barrier')) return [];
  return [{ title, standing: 'Coming', phase: state.phase }];
}

/** Whether two runs wait for each other in the same queue. */
function isSameLine(one: WorkflowRun, other: WorkflowRun): boolean {
  const line = lineOf(withStatus(one));
  return line !== undefined && line !== '' && line === lineOf(withStatus(other));
}
