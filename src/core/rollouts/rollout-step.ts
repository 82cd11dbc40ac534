import type { ClusterEntry, ClusterState, RolloutSpec, RolloutState } from '../../api/rollout.ts';
import type { PlannedCluster } from './plan-waves.ts';

/** A cluster as far as a rollout is concerned. */
export interface RolloutCluster extends PlannedCluster {
  /** Away: it was there and does not answer. Coming: it never was. */
  readonly readiness: 'ready' | 'away' | 'coming';
  /** Whether somebody wants it left alone. */
  readonly isHeld: boolean;
}

/** How a revision is on a cluster. */
export interface Delivery {
  /** Done: what is there is this revision, and was healthy when it was delivered. */
  readonly is: 'underWay' | 'done' | 'failed';
  readonly message?: string | undefined;
  /** What was delivered is not healthy any more. */
  readonly unhealthy?:
    { readonly since: Date; /** It will not pass by itself. */ readonly isCertain: boolean; readonly message: string } | undefined;
}

export interface RolloutInput {
  readonly spec: RolloutSpec;
  /** What is to be on all clusters. */
  readonly revision: string;
  /** What the step before this one left. */
  readonly before: RolloutState | undefined;
  /** Those that should have it now. */
  readonly clusters: readonly RolloutCluster[];
  see(cluster: string, revision: string): Delivery;
  readonly request?: string | undefined;
  readonly now: Date;
}

/** Something that people should hear of once. */
export interface RolloutEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** A step while it is being made: the state may be changed. */
export interface Draft extends Omit<RolloutInput, 'before' | 'clusters'> {
  readonly state: RolloutState;
  readonly clusters: ReadonlyMap<string, RolloutCluster>;
  readonly events: RolloutEvent[];
  /** When time alone changes something. */
  wakeAt: Date | undefined;
}

export function wake(draft: Draft, atMs: number): void {
  if (draft.wakeAt === undefined || atMs < draft.wakeAt.getTime()) draft.wakeAt = new Date(atMs);
}

export interface Cause {
  readonly reason?: string;
  readonly message?: string | undefined;
}

const maxMessageLength = 256;

/** A cluster that is somewhere else now. What was said of it before does not hold any more. */
export function move(entry: ClusterEntry, state: ClusterState, { reason, message }: Cause = {}): void {
  entry.state = state;
  delete entry.since;
  delete entry.reason;
  if (reason !== undefined) entry.reason = reason;
  explain(entry, message);
}

export function explain(entry: ClusterEntry, message: string | undefined): void {
  delete entry.message;
  if (message !== undefined && message !== '') entry.message = message.slice(0, maxMessageLength);
}
