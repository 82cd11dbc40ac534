import type { Condition } from '../../../api/conditions.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { GatePhase } from '../../../core/gates/gate-phase.ts';
import type { ArtifactSnapshot, RunSnapshot } from '../inputs/run-snapshot.ts';
import type { Grant, Standing } from '../kinds/cluster-run.ts';
import type { RunPhase, StepStatus, WaveState } from '../kinds/workflow-run.ts';
import type { LogLine } from '../logs/run-logs.ts';

/** `WorkflowRun.status.steps[]`: a step of one wave, once it was begun. */
export interface StepRecord {
  phase: string;
  group: string;
  name: string;
  type: string;
  wave?: string;
  isRollback?: boolean;
  status: StepStatus;
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
  /** Of steps that are gates. */
  gate?: GateRecord;
}

export interface GateRecord {
  name: string;
  type: string;
  phase: GatePhase;
  message?: string;
  approvalRequest?: string;
  side?: 'before' | 'after';
  /** What the desk remembers. */
  state?: JsonObject;
}

export interface WaveRecord {
  name: string;
  phase: WaveState['phase'];
  /** Ids, in the order of their turns. */
  clusters: string[];
  startedAt?: string;
  finishedAt?: string;
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
  /** The generation of the run that it was begun with: a later one may ask for another. */
  generation: number;
  /** The last number of a step before it. */
  sinceId: number;
  /** Indexes of waves that are put back together, in order. */
  legs: number[][];
  /** Names of phases, in the order in which they are put back. */
  phases: string[];
  /** Only these clusters. All that were changed when absent. */
  clusters?: string[];
  /** Where in `legs` it is. */
  leg: number;
  /** What the run is after that. `Running`: it goes on. */
  ends: 'RolledBack' | 'Failed' | 'Running';
  isDone?: boolean;
}

/** Somebody is asked what to do about a step that failed. */
export interface Intervention {
  place: string;
  name: string;
  timeout: string;
  then: string;
  groups?: string[];
  users?: string[];
  state?: JsonObject;
  approvalRequest?: string;
}

/** `WorkflowRun.status.engine`: where a run is and how it came there, so that whoever comes next can go on. */
export interface RunProgress {
  /** The last number that a step got. */
  lastId: number;
  leg: number;
  stage: 'Before' | 'Steps' | 'Soak' | 'After';
  lastStart?: string;
  pausedAt?: string;
  /** A pause that nobody asked for. Known: `spec.state` says it. */
  pause?: { reason: string; message: string; isKnown: boolean };
  /** Why nothing starts any more. */
  breach?: Failure;
  intervention?: Intervention;
  /** How often somebody was asked about something else than a step. */
  interventions?: number;
  rollback?: RollbackPlan;
  /** Clusters that do after the end what they could not do before. */
  catchingUp?: string[];
  /** Why the run failed. */
  failure?: Failure;
  /** How often gates were asked anew after a pause. */
  gateRound?: number;
  /** What the last step HTTP was answered. */
  http?: { code: string; body: string };
  /** Clusters whose labels here do not tell that they are meant, as those of the provider did: it is not looked at again. */
  blind?: string[];
  /** The newest run of the workflow that had succeeded when this one began. */
  lastGood?: { releaseNo: number; name: string; artifact?: ArtifactSnapshot };
  /** What was last written to ClusterRuns. Nothing else is decided before it is there. */
  orders?: RunOrder[];
  /** What the run said when it last said something, until something else changes: it is in the log before anything else is decided. */
  lines?: SaidLines[];
}

/** Lines of the log of a step. */
export interface SaidLines {
  step: string;
  /** Of the attempt. */
  id: number;
  lines: LogLine[];
}

/** What some ClusterRuns hold from then on. */
export interface RunOrder {
  ids: string[];
  grant?: Grant;
  standing?: Standing;
}

export interface ClusterCounts {
  total: number;
  pending?: number;
  running?: number;
  soaking?: number;
  succeeded?: number;
  failed?: number;
  deferred?: number;
  skipped?: number;
  rolledBack?: number;
  aborted?: number;
}

/** `WorkflowRun.status`, as the run writes it. */
export interface RunStatus {
  phase?: RunPhase;
  observedGeneration?: number;
  reason?: string;
  message?: string;
  queuePosition?: number;
  nextOpen?: string;
  releaseNo?: number;
  startedAt?: string;
  finishedAt?: string;
  triggeredBy?: string;
  /** Where people find it. */
  url?: string;
  planHash?: string;
  snapshot?: RunSnapshot;
  resolvedClusters?: { id: string; name: string }[];
  clusters?: ClusterCounts;
  waves?: WaveRecord[];
  steps?: StepRecord[];
  /** What steps and approvals published. */
  outputs?: JsonObject;
  engine?: RunProgress;
  conditions?: Condition[];
}
