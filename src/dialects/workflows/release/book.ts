import type { KubeObject } from '../../../api/object.ts';

export interface ReleaseName {
  readonly name: string;
  readonly namespace: string;
}

export type Color = 'blue' | 'green';
export type RecordStatus = 'InProgress' | 'Succeeded' | 'Failed';

/** A managed workload and the revision that the member gave it, in records of old. */
export interface WorkloadRevision {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly revision: string;
}

/** What a release was, on one cluster. */
export interface ReleaseRecord {
  readonly number: number;
  readonly status: RecordStatus;
  readonly color?: Color;
  readonly environment?: 'primary' | 'stage';
  readonly pruning: boolean;
  readonly hash: string;
  /** The objects as they were applied; none for records of old. Throws when nobody can read them: who needs them must not go on without. */
  manifest(): readonly KubeObject[];
  readonly run?: string;
  readonly runUid?: string;
  readonly wave?: string;
  /** The record as it is kept. Absent for records of old. */
  readonly secret?: KubeObject;
  /** Whether only the member has it: the Work does not hold it yet. */
  readonly isOnlyOnMember?: boolean;
  /** Only of records of old. */
  readonly workloads?: readonly WorkloadRevision[];
}

export interface ReleaseBook {
  /** Oldest first. */
  readonly records: readonly ReleaseRecord[];
}
