import type { ClusterState } from '../../../api/rollout.ts';

/** `ClusterRun.spec.grant`: the step that a cluster may do now. Written by the run alone. */
export interface Grant {
  /** Grows from grant to grant of a cluster, not always by one: it is the number of the step in the run, the same for all clusters that do it. */
  readonly id: number;
  readonly phase: string;
  readonly group: string;
  readonly step: string;
  readonly type: string;
  /** Where the step is among all of the run, so that a cluster that catches up finds the next one. */
  readonly position: number;
  readonly with?: Readonly<Record<string, unknown>> | undefined;
  readonly timeout?: string | undefined;
  readonly progressDeadline?: string | undefined;
  readonly isRollback?: boolean | undefined;
  /** Whether the cluster is done when the step is. */
  readonly isLast?: boolean | undefined;
  /** From 1. */
  readonly attempt: number;
}

/** `ClusterRun.spec.standing`: what the run says of a cluster without asking it, until the next grant. With `Aborted` whatever the cluster waits for is cut short. */
export interface Standing {
  readonly state: ClusterState;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The part of `ClusterRun.status` that a run reads. Written by the controller of ClusterRuns alone, `phase` by `clusterStateOf`. */
export interface GrantReport {
  /** The grant that `step` is about. */
  readonly grant?: number | undefined;
  readonly step?:
    | {
        readonly status: 'Running' | 'Succeeded' | 'Failed' | 'Skipped' | 'TimedOut';
        readonly message?: string | undefined;
        readonly failureType?: string | undefined;
      }
    | undefined;
  readonly outputs?: Readonly<Record<string, string>> | undefined;
}

export interface GrantedCluster {
  readonly spec: { readonly grant?: Grant | undefined; readonly standing?: Standing | undefined };
  readonly status?: GrantReport | undefined;
}

export type GrantStatus = NonNullable<GrantReport['step']>['status'];

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
