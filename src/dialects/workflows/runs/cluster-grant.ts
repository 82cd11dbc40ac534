import type { ClusterState } from '../../../api/rollout.ts';
import type { ClusterRun, Grant, Standing, StepResult } from '../kinds/cluster-run.ts';
export type { Grant, Standing };

/** The part of `ClusterRun.status` that a run reads. Written by the controller of ClusterRuns alone, `phase` by `clusterStateOf`. */
export interface GrantReport {
  /** The grant that `step` is about. */
  readonly grant?: number | undefined;
  readonly step?: StepResult | undefined;
  readonly outputs?: Readonly<Record<string, string>> | undefined;
  /** What is seen while the cluster is watched. */
  readonly soak?: NonNullable<ClusterRun['status']>['soak'] | undefined;
}

export interface GrantedCluster {
  readonly spec: { readonly grant?: Grant | undefined; readonly standing?: Standing | undefined };
  readonly status?: GrantReport | undefined;
}

export type GrantStatus = StepResult['status'];

/** How the present grant went so far; undefined without one. */
export function grantStatus({ spec: { grant }, status }: GrantedCluster): GrantStatus | undefined {
  if (!grant) return undefined;
  return (status?.grant === grant.id ? status.step?.status : undefined) ?? 'Running';
}

/** Whether a cluster is doing a step now. */
export const isInFlight = (one: GrantedCluster): boolean => one.spec.standing === undefined && grantStatus(one) === 'Running';

/** How far a cluster is: what the run says of it, or else what its grant came to. Between two steps it is `Pending`. */
export function clusterStateOf(one: GrantedCluster): ClusterState {
  const { grant, standing } = one.spec;
  if (standing) return standing.state;
  if (!grant) return 'Pending';
  const status = grantStatus(one)!;
  if (grant.isRollback === true) return rollbackStateOf(status, grant.isLast === true);
  if (status === 'Running' || status === 'Failed' || status === 'TimedOut') return status;
  return grant.isLast === true ? 'Succeeded' : 'Pending';
}

function rollbackStateOf(status: GrantStatus, isLast: boolean): ClusterState {
  if (status === 'Failed' || status === 'TimedOut') return 'RollbackFailed';
  return status !== 'Running' && isLast ? 'RolledBack' : 'RollingBack';
}
