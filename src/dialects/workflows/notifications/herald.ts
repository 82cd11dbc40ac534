import type { KubeObject } from '../../../api/object.ts';

export const runEvents = [
  'RunStarted',
  'RunPaused',
  'ApprovalRequested',
  'ApprovalDecided',
  'GateFailed',
  'WaveStarted',
  'WaveSucceeded',
  'ClusterFailed',
  'ClusterDeferred',
  'ClusterCaughtUp',
  'RunSucceeded',
  'RunFailed',
  'RollbackStarted',
  'RunRolledBack',
  'RollbackFailed',
  'RunAborted',
  'DriftDetected',
  'FreezeBlocked',
] as const;
export type RunEvent = (typeof runEvents)[number];

export interface RunHappening {
  readonly event: RunEvent;
  readonly message: string;
  readonly phase?: string;
  readonly wave?: string;
  readonly cluster?: string;
  /** Tells one such happening of the run from the next, such as the number of the attempt. */
  readonly nonce?: string;
}

export interface HeraldedRun {
  readonly run: KubeObject;
  readonly workflow: string;
  /** `spec.notifications` of the workflow, as the snapshot has it. */
  readonly notifications: readonly NotificationSpec[];
}

/** One entry of `spec.notifications`. Secrets are in the namespace of the run. */
export interface NotificationSpec {
  readonly events?: readonly string[];
  readonly webhook?: { readonly urlSecretRef?: SecretKey };
  readonly slack?: { readonly urlSecretRef?: SecretKey };
  readonly email?: readonly string[];
}

export interface SecretKey {
  readonly name: string;
  readonly key?: string;
}

/** Says what happens to a run: as an Event of the hub and to whom the workflow names. */
export interface Herald {
  /** Resolves when it is sure to be said at least once. Call it before the status is written that makes it the past: the same happening is told once. */
  tell(run: HeraldedRun, happenings: readonly RunHappening[]): Promise<void>;
}
