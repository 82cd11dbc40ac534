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
  /** As applied. Empty for records of old, which do not hold them. */
  readonly objects: readonly KubeObject[];
  readonly run?: string;
  readonly runUid?: string;
  readonly wave?: string;
  /** The record as it is kept. Absent for records of old. */
  readonly secret?: KubeObject;
  /** Only of records of old. */
  readonly workloads?: readonly WorkloadRevision[];
}

export interface ReleaseBook {
  /** Oldest first. */
  readonly records: readonly ReleaseRecord[];
}
