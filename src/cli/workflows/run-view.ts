import type { PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';
import type { ClusterRun } from '../../dialects/workflows/kinds/cluster-run.ts';
import { isTerminal, type StepState, type WorkflowRun } from '../../dialects/workflows/kinds/workflow-run.ts';
import { clusterStateOf, grantStatus } from '../../dialects/workflows/runs/cluster-grant.ts';

/** One line of what is shown. */
export interface ViewRow {
  /** Who: a cluster, a step of the whole run, a stage. */
  readonly name: string;
  readonly state: string;
  /** What is being done. */
  readonly doing: string;
  readonly message: string;
}

/** How far a run is, for people. */
export interface RunView {
  readonly title: string;
  readonly phase: string;
  readonly message: string;
  readonly isOver: boolean;
  /** Waves that are there, unless there is only one without a name. */
  readonly waves: readonly ViewRow[];
  /** What the waves wait for, or waited. */
  readonly gates: readonly ViewRow[];
  /** What is done once for all, in the order in which it began. */
  readonly steps: readonly ViewRow[];
  /** Clusters, or stages of a pipeline. */
  readonly parts: readonly ViewRow[];
  /** What waits for somebody, and the request to answer. */
  readonly approvals: readonly { readonly name: string; readonly request: string }[];
}

export function viewOfRun(run: WorkflowRun, clusters: readonly ClusterRun[], title: string): RunView {
  const { phase = 'Queued', message = '', waves = [], steps = [], resolvedClusters = [] } = run.status ?? {};
  const order = new Map(waves.flatMap(wave => wave.clusters).map((id, index) => [id, index]));
  const names = new Map(resolvedClusters.map(one => [one.id, one.name]));
  const known = new Set(clusters.map(one => one.spec.cluster.id));
  const waiting = [...order.keys()].filter(id => !known.has(id)).map(id => ({ id, row: row(names.get(id) ?? id, 'Pending') }));
  const under = clusters.map(one => ({ id: one.spec.cluster.id, row: clusterRow(one) }));
  return {
    title,
    phase,
    message,
    isOver: isOver(run),
    waves: waves.length > 1 ? waves.map(wave => row(wave.name, wave.phase)) : [],
    gates: waves.flatMap(wave => (wave.gates ?? []).filter(isTold).map(gate => gateRow(gate, waves.length > 1 ? wave.name : undefined))),
    steps: steps.map(step => ({
      name: step.wave === undefined || waves.length < 2 ? step.name : `${step.name} (${step.wave})`,
      state: step.status,
      doing: step.phase,
      message: step.message ?? awaited(step),
    })),
    parts: [...under, ...waiting].toSorted((a, b) => (order.get(a.id) ?? 1e9) - (order.get(b.id) ?? 1e9)).map(one => one.row),
    approvals: [...waves.flatMap(wave => wave.gates ?? []), ...steps.flatMap(step => (step.gate ? [step.gate] : []))]
      .filter(gate => gate.approvalRequest !== undefined && (gate.phase === 'Running' || gate.phase === 'Pending'))
      .map(gate => ({ name: gate.name, request: gate.approvalRequest! })),
  };
}

export function viewOfPipeline(run: PipelineRun, runs: readonly WorkflowRun[], title: string): RunView {
  const { phase = 'Queued', message = '', stages = [] } = run.status ?? {};
  const found = new Map(runs.map(one => [one.metadata.name, one]));
  return {
    title,
    phase,
    message,
    isOver: isOver(run),
    waves: [],
    gates: [],
    steps: stages.map(stage => ({ name: stage.name, state: stage.phase, doing: 'stage', message: stage.message ?? '' })),
    parts: stages.flatMap(stage =>
      (stage.runs ?? []).map(name => ({
        name,
        state: found.get(name)?.status?.phase ?? 'Queued',
        doing: stage.name,
        message: counted(found.get(name)),
      })),
    ),
    approvals: stages
      .filter(stage => stage.phase === 'Waiting' && stage.approvalRequest !== undefined)
      .map(stage => ({ name: stage.name, request: stage.approvalRequest! })),
  };
}

/** What keeps a step waiting. */
const awaited = ({ status, gate }: StepState): string => (status === 'Waiting' ? (gate?.message ?? '') : '');

type Gate = NonNullable<NonNullable<NonNullable<WorkflowRun['status']>['waves']>[number]['gates']>[number];

/** That somebody is asked is said with the command that answers. */
const isTold = ({ type, phase }: Gate): boolean => type !== 'Approval' || (phase !== 'Running' && phase !== 'Pending');

const gateRow = ({ name, phase, message = '' }: Gate, wave: string | undefined): ViewRow => ({
  name: wave === undefined ? name : `${name} (${wave})`,
  state: phase,
  doing: '',
  message,
});

/** Over, and nothing else is wanted of it that the hub has not seen yet. */
function isOver({ metadata, status }: WorkflowRun | PipelineRun): boolean {
  return isTerminal(status?.phase) && (status?.observedGeneration ?? metadata.generation) === metadata.generation;
}

function clusterRow(one: ClusterRun): ViewRow {
  const { cluster, grant, standing } = one.spec;
  const { failure, step, checkpoint } = one.status ?? {};
  const said = one.status?.grant === grant?.id ? (failure?.message ?? step?.message) : undefined;
  const hindrance = checkpoint?.grant === grant?.id && checkpoint?.result === undefined ? checkpoint?.message : undefined;
  const message = standing?.message ?? said ?? hindrance ?? '';
  const state = clusterStateOf(one);
  // Between two steps what counts for people is how the last one went.
  const shown = state === 'Pending' ? (grantStatus(one) ?? state) : state;
  return { name: cluster.name, state: shown, doing: grant?.step ?? '', message };
}

function counted(run: WorkflowRun | undefined): string {
  const { total, succeeded = 0, failed = 0 } = run?.status?.clusters ?? {};
  if (total === undefined) return run?.status?.message ?? '';
  return `${succeeded}/${total} clusters${failed > 0 ? `, ${failed} failed` : ''}`;
}

const row = (name: string, state: string): ViewRow => ({ name, state, doing: '', message: '' });
