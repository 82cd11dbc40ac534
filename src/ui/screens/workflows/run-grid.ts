import type { ClusterRun } from '../../../dialects/workflows/kinds/cluster-run.ts';
import type { StepState, WaveState, WorkflowRun } from '../../../dialects/workflows/kinds/workflow-run.ts';

/** A step as a column: the same step of all waves. */
export interface GridStep {
  readonly key: string;
  readonly phase: string;
  readonly name: string;
  readonly isRollback: boolean;
}

export interface GridCell {
  readonly status: string;
  readonly message: string | undefined;
}

export interface GridRow {
  readonly id: string;
  readonly cluster: string;
  readonly state: string;
  readonly message: string | undefined;
  /** By the key of the step. */
  readonly cells: ReadonlyMap<string, GridCell>;
}

export interface GridWave {
  readonly wave: WaveState;
  readonly rows: readonly GridRow[];
}

export interface RunGrid {
  readonly steps: readonly GridStep[];
  readonly waves: readonly GridWave[];
  /** What is done once for all clusters. */
  readonly common: readonly StepState[];
}

const keyOf = ({ phase, name, isRollback }: Pick<StepState, 'phase' | 'name' | 'isRollback'>): string =>
  `${isRollback === true ? 'undo ' : ''}${phase}/${name}`;

/** Steps by clusters: what came of each, wave by wave. Clusters whose turn has not come are there too. */
export function runGrid(run: WorkflowRun, clusterRuns: readonly ClusterRun[]): RunGrid {
  const { steps = [], waves = [], resolvedClusters = [] } = run.status ?? {};
  const names = new Map(resolvedClusters.map(one => [one.id, one.name]));
  const byId = new Map(clusterRuns.map(one => [one.spec.cluster.id, one]));
  const columns = new Map<string, GridStep>();
  const byGrant = new Map<number, string>();
  for (const step of steps) {
    if (step.wave === undefined) continue;
    const key = keyOf(step);
    columns.set(key, { key, phase: step.phase, name: step.name, isRollback: step.isRollback === true });
    if (step.id === undefined) continue;
    for (let id = step.firstId ?? step.id; id <= step.id; id++) byGrant.set(id, key);
  }
  return {
    steps: [...columns.values()],
    waves: waves.map(wave => ({ wave, rows: wave.clusters.map(id => rowOf(id, names.get(id) ?? id, byId.get(id), byGrant)) })),
    common: steps.filter(step => step.wave === undefined),
  };
}

function rowOf(id: string, cluster: string, clusterRun: ClusterRun | undefined, byGrant: ReadonlyMap<number, string>): GridRow {
  const { spec, status } = clusterRun ?? {};
  const cells = new Map<string, GridCell>();
  for (const { grant, status: came, message } of status?.steps ?? []) {
    const key = byGrant.get(grant);
    if (key !== undefined) cells.set(key, { status: came, message });
  }
  const grant = spec?.grant;
  const key = grant && byGrant.get(grant.id);
  if (grant && key !== undefined && !status?.steps?.some(one => one.grant === grant.id)) {
    const present = status?.grant === grant.id ? status.step : undefined;
    cells.set(key, { status: present?.status ?? 'Running', message: present?.message });
  }
  return {
    id,
    cluster,
    state: spec?.standing?.state ?? status?.phase ?? 'Pending',
    message: status?.failure?.message ?? spec?.standing?.message ?? status?.step?.message,
    cells,
  };
}
