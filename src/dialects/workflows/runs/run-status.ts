import type { Condition } from '../../../api/conditions.ts';
import type { Json, JsonObject } from '../../../util/json.ts';
import type { GatePhase } from '../../../core/gates/gate-phase.ts';
import type { RunSnapshot } from '../inputs/run-snapshot.ts';

export const runPhases = [
  'Queued',
  'Resolving',
  'Running',
  'Paused',
  'Waiting',
  'RollingBack',
  'Succeeded',
  'Failed',
  'RolledBack',
  'RollbackFailed',
  'Aborted',
  'Rejected',
  'Expired',
] as const;
export type RunPhase = (typeof runPhases)[number];

const finalPhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'RolledBack', 'RollbackFailed', 'Aborted', 'Rejected', 'Expired']);
export const isFinal = (phase: string | undefined): boolean => phase !== undefined && finalPhases.has(phase);

/** `WorkflowRun.status.steps[]`: a step of one wave, once it was begun. */
export interface StepRecord {
  phase: string;
  group: string;
  name: string;
  type: string;
  wave?: string;
  status: 'Running' | 'Succeeded' | 'Failed' | 'Skipped';
  succeeded?: number;
  failed?: number;
  startedAt?: string;
  finishedAt?: string;
  message?: string;
  /** The number of the present attempt, which clusters have as the id of their grant. */
  id: number;
  /** The number of the first attempt. */
  firstId: number;
  attempt: number;
  /** Where it is among the steps of the run. */
  position: number;
  /** Which leg of the way it belongs to. */
  leg: number;
  /** 0 on the way forward; else the number of the rollback. */
  round: number;
  /** When the next attempt may begin. */
  retryAt?: string;
  failureType?: string;
  /** Of steps that are gates: what the desk remembers. */
  gate?: Json;
  approvalRequest?: string;
}

export interface GateRecord {
  name: string;
  type: string;
  phase: GatePhase;
  message?: string;
  approvalRequest?: string;
  side: 'before' | 'after';
  /** What the desk remembers. */
  state?: Json;
}

export interface WaveRecord {
  name: string;
  phase: 'Pending' | 'Running' | 'Soaking' | 'Succeeded' | 'Failed' | 'Skipped';
  /** Ids, in the order of their turns. */
  clusters: string[];
  startedAt?: string;
  soakUntil?: string;
  gates?: GateRecord[];
}

export interface Failure {
  type: string;
  reason: string;
  message: string;
}

/** What a rollback is about. */
export interface RollbackPlan {
  round: number;
  /** Indexes of waves, in the order in which they are put back. */
  waves: number[];
  /** Names of phases, in the order in which they are put back. */
  phases: string[];
  /** Only these clusters. All that were changed when absent. */
  clusters?: string[];
  /** Where in `waves` it is. */
  leg: number;
  /** What the run is after that. `Running`: it goes on. */
  ends: 'RolledBack' | 'Failed' | 'Running';
}

/** `WorkflowRun.status.progress`: where a run is and how it came there, so that whoever comes next can go on. */
export interface RunProgress {
  /** The last number that a step got. */
  lastId: number;
  leg: number;
  stage: 'Before' | 'Steps' | 'Soak' | 'After';
  lastStart?: string;
  pausedAt?: string;
  /** A pause that nobody asked for. `isKnown` when `spec.state` says it. */
  pause?: { reason: string; message: string; isKnown: boolean };
  /** Why nothing starts any more. */
  breach?: Failure;
  /** A person is asked what to do. */
  manual?: { since: string; state?: Json; approvalRequest?: string; timeout?: string; then?: string; place: string };
  rollback?: RollbackPlan;
  /** The last `spec.state` that was acted on. */
  lastState?: string;
}

export interface ClusterCounts {
  total: number;
  pending: number;
  running: number;
  soaking: number;
  succeeded: number;
  failed: number;
  deferred: number;
  skipped: number;
  rolledBack: number;
}

/** `WorkflowRun.status`, as the run writes it. */
export interface RunStatus {
  phase?: RunPhase;
  observedGeneration?: number;
  queuePosition?: number;
  nextOpen?: string;
  releaseNo?: number;
  startedAt?: string;
  finishedAt?: string;
  triggeredBy?: string;
  planHash?: string;
  message?: string;
  snapshot?: RunSnapshot;
  resolvedClusters?: { id: string; name: string }[];
  clusters?: ClusterCounts;
  waves?: WaveRecord[];
  steps?: StepRecord[];
  /** What steps and approvals published. */
  context?: JsonObject;
  failure?: Failure;
  progress?: RunProgress;
  conditions?: Condition[];
}
