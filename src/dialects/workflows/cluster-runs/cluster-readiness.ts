import { withReadiness, type Course } from '../../../api/conditions.ts';
import type { ClusterState } from '../../../api/rollout.ts';
import type { ClusterRunStatus } from './next-cluster-run.ts';

const courses: Readonly<Record<ClusterState, Course | undefined>> = {
  Pending: 'Reconciling',
  Deferred: 'Reconciling',
  Running: 'Reconciling',
  Soaking: 'Reconciling',
  RollingBack: 'Reconciling',
  Succeeded: undefined,
  Skipped: undefined,
  Failed: 'Stalled',
  TimedOut: 'Stalled',
  RolledBack: 'Stalled',
  RollbackFailed: 'Stalled',
  Aborted: 'Stalled',
};

/** The status with what programs wait for. It goes with every write: one more for each cluster would cost as much as all the rest. */
export function withClusterReadiness(status: ClusterRunStatus, now: Date): ClusterRunStatus {
  const { phase = 'Pending', failure, conditions } = status;
  const course = courses[phase];
  const ready = {
    type: 'Ready',
    status: course === undefined ? 'True' : 'False',
    reason: phase,
    message: course === 'Stalled' ? (failure?.message ?? '') : '',
  } as const;
  return { ...status, conditions: withReadiness(conditions, [ready], { course, now }) };
}
