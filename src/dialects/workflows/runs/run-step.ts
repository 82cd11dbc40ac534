import type { ClusterState } from '../../../api/rollout.ts';
import type { FreezeAnswer } from '../freezes/freeze-desk.ts';
import type { GateAnswer, GateSpec } from '../gates/gate-desk.ts';
import type { InputFault, Resolution } from '../inputs/run-inputs.ts';
import type { RunSnapshot } from '../inputs/run-snapshot.ts';
import type { RunState } from '../kinds/workflow-run.ts';
import type { Workflow, WorkflowRollout } from '../kinds/workflow.ts';
import type { RunHappening } from '../notifications/herald.ts';
import type { JsonObject } from '../../../util/json.ts';
import { clusterStateOf, type Grant, type GrantedCluster, type Standing } from './cluster-grant.ts';
import type { RunPlan } from './run-plan.ts';
import type { RunProgress, RunStatus, SaidLines, StepRecord, WaveRecord } from './run-status.ts';

/** A cluster of the hub, as far as a run is concerned. */
export interface SeenCluster {
  readonly isReady: boolean;
  /** Whether somebody wants it left alone. */
  readonly isHeld: boolean;
  /** Whether the infrastructure of the run still selects it. */
  readonly isMeant: boolean;
  /** Whether its taints keep the run away, which has not begun there. */
  readonly isKeptAway?: boolean;
}

export interface Illness {
  readonly since: Date;
  /** It will not pass by itself. */
  readonly isCertain: boolean;
  readonly message: string;
}

/** A gate, or a step that is one. */
export interface GateQuestion {
  readonly gate: GateSpec;
  readonly place: string;
  readonly wave: WaveRecord | undefined;
  readonly state: JsonObject | undefined;
  /** Of steps. */
  readonly step?: { readonly name: string; readonly type: string; readonly phase: string };
}

export interface RunInput {
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly createdAt: Date;
  readonly mode: 'Apply' | 'Preview';
  /** What is wanted of the run. */
  readonly state: RunState;
  readonly triggeredBy?: string | undefined;
  /** Where people find the run. */
  readonly url?: string | undefined;
  readonly skipGates: readonly string[];
  /** The hash of the preview that this run must equal; null when there is none to be found. */
  readonly previewHash?: string | null | undefined;
  /** What the step before this one left. */
  readonly before: RunStatus | undefined;
  readonly clusterRuns: ReadonlyMap<string, GrantedCluster>;
  /** Undefined when it is gone. */
  seeCluster(id: string): SeenCluster | undefined;
  /** Clusters that the infrastructure selects by now, and did not when they were resolved. */
  seeLatecomers(): readonly { readonly id: string; readonly name: string }[];
  /** Whether what was delivered is unhealthy. */
  seeIllness(id: string): Illness | undefined;
  readonly queue: { /** How many go first. */ readonly ahead: number; /** How many of them wait. */ readonly waiting: number };
  freeze(): FreezeAnswer;
  /** How many more clusters may be busy, over all runs. */
  readonly hubRoom: number;
  /** Whether no later run of the same release was started. */
  readonly isNewest: boolean;
  readonly nextReleaseNo: number;
  /** The newest run of the workflow that succeeded. */
  readonly lastGood?: Readonly<NonNullable<RunProgress['lastGood']>> | undefined;
  lookAt(question: GateQuestion): GateAnswer;
  /** Whether an expression holds. Throws when it cannot be resolved. */
  holds(expression: string, wave: WaveRecord | undefined, phase: string): boolean;
  /** Values of expressions. Throws when one cannot be resolved. */
  render(values: Readonly<Record<string, string>>, wave: WaveRecord | undefined, phase: string): Record<string, string>;
  /** What was asked for with `wants`. */
  readonly answer?: { readonly snapshot: RunSnapshot } | { readonly fault: InputFault } | { readonly resolution: Resolution } | undefined;
  readonly now: Date;
  /** How far the clock was set forward since `before` was written, in milliseconds, as far as this process knows. */
  readonly jumpMs?: number | undefined;
}

/** What is written to a ClusterRun: all of its spec. */
export interface ClusterWrite {
  readonly id: string;
  readonly name: string;
  readonly wave: string;
  readonly grant?: Grant | undefined;
  readonly standing?: Standing | undefined;
}

export interface RunStep {
  /** Must be written before anything else of the step is done. */
  readonly status: RunStatus;
  /** What is written to ClusterRuns; `status.engine.orders` says the same. */
  readonly writes: readonly ClusterWrite[];
  /** How many clusters are busy then. */
  readonly inFlight: number;
  readonly happenings: readonly RunHappening[];
  /** The step is to be made again at once with an answer to this. */
  readonly wants?: 'snapshot' | 'clusters' | undefined;
  /** `spec.state` is to be changed to Pause. */
  readonly asksForPause: boolean;
  /** Clusters wait only because the hub is busy. */
  readonly waitsForHub: boolean;
  /** The run is to be deleted. */
  readonly isExpired: boolean;
  /** When to look again though nothing else changed. */
  readonly wakeAt: Date | undefined;
}

/** A step while it is being made. */
export interface Draft {
  readonly input: RunInput;
  readonly now: Date;
  readonly status: RunStatus;
  readonly engine: RunProgress;
  /** There once there is a snapshot. */
  plan: RunPlan | undefined;
  spec: Partial<Workflow['spec']>;
  rollout: Partial<WorkflowRollout>;
  readonly writes: Map<string, ClusterWrite>;
  readonly overlay: Map<string, GrantedCluster>;
  readonly happenings: RunHappening[];
  readonly lines: SaidLines[];
  hubRoom: number;
  wants: RunStep['wants'];
  asksForPause: boolean;
  waitsForHub: boolean;
  isExpired: boolean;
  wakeAt: Date | undefined;
}

const nothing: GrantedCluster = { spec: {} };

export const clusterOf = (draft: Draft, id: string): GrantedCluster => draft.overlay.get(id) ?? draft.input.clusterRuns.get(id) ?? nothing;

export const stateOf = (draft: Draft, id: string): ClusterState => clusterStateOf(clusterOf(draft, id));

export function wake(draft: Draft, at: Date | number | undefined): void {
  if (at === undefined) return;
  const date = new Date(at);
  if (draft.wakeAt === undefined || date < draft.wakeAt) draft.wakeAt = date;
}

export function tell(draft: Draft, happening: RunHappening): void {
  draft.happenings.push({ ...(draft.status.phase !== undefined && { phase: draft.status.phase }), ...happening });
}

/** Says something of a cluster without asking it. */
export function stand(draft: Draft, id: string, standing: Standing): void {
  write(draft, id, { grant: clusterOf(draft, id).spec.grant, standing });
}

export function grantTo(draft: Draft, id: string, grant: Grant): void {
  write(draft, id, { grant });
}

function write(draft: Draft, id: string, spec: Pick<ClusterWrite, 'grant' | 'standing'>): void {
  const { status } = draft.input.clusterRuns.get(id) ?? {};
  draft.overlay.set(id, { spec, status });
  draft.writes.set(id, { id, name: titleOf(draft, id), wave: waveOf(draft, id)?.name ?? '', ...spec });
}

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();
const names = new WeakMap<object, ReadonlyMap<string, string>>();

export function waveOf({ status }: Draft, id: string): WaveRecord | undefined {
  return status.waves?.find(({ clusters }) => remembered(sets, clusters, () => new Set(clusters)).has(id));
}

/** What people call a cluster. */
export function titleOf({ status: { resolvedClusters = [] } }: Draft, id: string): string {
  return remembered(names, resolvedClusters, () => new Map(resolvedClusters.map(one => [one.id, one.name]))).get(id) ?? id;
}

function remembered<K extends object, V>(cache: WeakMap<K, V>, key: K, make: () => V): V {
  let value = cache.get(key);
  if (value === undefined) cache.set(key, (value = make()));
  return value;
}

export const recordsOf = ({ status }: Draft): StepRecord[] => (status.steps ??= []);

/** The settings of a wave. */
export const waveSettings = ({ rollout }: Draft, wave: WaveRecord): NonNullable<WorkflowRollout['waves']>[number] | undefined =>
  rollout.waves?.find(one => one.name === wave.name);

export const allClusters = ({ status }: Draft): string[] => (status.waves ?? []).flatMap(wave => wave.clusters);
