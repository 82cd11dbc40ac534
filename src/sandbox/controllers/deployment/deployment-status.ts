import type { DeploymentCondition, DeploymentStatus } from '../../../api/kubernetes.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { desiredSize, maxUnavailable, sum, totalSize, type StoredDeployment, type StoredReplicaSet } from './deployment-sizes.ts';
import { nonZero } from '../non-zero.ts';

export const progressing = 'Progressing';
const replicaFailure = 'ReplicaFailure';
const endless = 2 ** 31 - 1;

export type ConditionText = Pick<DeploymentCondition, 'type' | 'status'> & { readonly reason: string; readonly message: string };

export function hasProgressDeadline({ spec }: StoredDeployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== endless;
}

export const hasHistoryLimit = ({ spec }: StoredDeployment): boolean =>
  spec.revisionHistoryLimit !== undefined && spec.revisionHistoryLimit !== endless;

export function conditionOf(conditions: readonly DeploymentCondition[] | undefined, type: string): DeploymentCondition | undefined {
  return conditions?.find(condition => condition.type === type);
}

/** Sets a condition; one of the same status and reason stays as it was, message included. */
export function withCondition(present: readonly DeploymentCondition[], next: ConditionText, now: Date): DeploymentCondition[] {
  const old = conditionOf(present, next.type);
  if (old?.status === next.status && old.reason === next.reason) return [...present];
  const at = timestamp(now);
  const lastTransitionTime = old?.status === next.status ? (old.lastTransitionTime ?? at) : at;
  return [...without(present, next.type), { ...next, lastUpdateTime: at, lastTransitionTime }];
}

const without = (present: readonly DeploymentCondition[], type: string) => present.filter(condition => condition.type !== type);

export interface ObservedSets {
  readonly newest: StoredReplicaSet | undefined;
  readonly older: readonly StoredReplicaSet[];
}

/** Counts and availability; what is said about progress stays as it is. */
export function deploymentStatus(deployment: StoredDeployment, { newest, older }: ObservedSets, now: Date): DeploymentStatus {
  const all = newest ? [...older, newest] : older;
  const available = sum(all, set => set.status?.availableReplicas ?? 0);
  const hasEnough = available >= desiredSize(deployment) - maxUnavailable(deployment);
  const conditions = withCondition(
    deployment.status?.conditions ?? [],
    hasEnough
      ? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
      : {
          type: 'Available',
          status: 'False',
          reason: 'MinimumReplicasUnavailable',
          message: 'Deployment does not have minimum availability.',
        },
    now,
  );
  const terminating = terminatingOf(all);
  const { collisionCount } = deployment.status ?? {};
  return {
    ...nonZero({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: sum(all, set => set.status?.replicas ?? 0),
      updatedReplicas: newest?.status?.replicas ?? 0,
      readyReplicas: sum(all, set => set.status?.readyReplicas ?? 0),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, totalSize(all) - available),
    }),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions,
  };
}

/** Unknown as soon as one ReplicaSet that was looked at does not say. */
function terminatingOf(sets: readonly StoredReplicaSet[]): number | undefined {
  const observed = sets.filter(({ status }) => (status?.observedGeneration ?? 0) !== 0 || status?.terminatingReplicas !== undefined);
  if (observed.some(({ status }) => status?.terminatingReplicas === undefined)) return undefined;
  return sum(observed, set => set.status?.terminatingReplicas ?? 0);
}

export function isComplete(deployment: StoredDeployment, status: DeploymentStatus | undefined): boolean {
  const desired = desiredSize(deployment);
  return (
    (status?.updatedReplicas ?? 0) === desired &&
    (status?.replicas ?? 0) === desired &&
    (status?.availableReplicas ?? 0) === desired &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Counts, availability, progress against the deadline, and failures of ReplicaSets. */
export function rolloutStatus(deployment: StoredDeployment, sets: ObservedSets, now: Date): DeploymentStatus {
  const status = deploymentStatus(deployment, sets, now);
  const conditions = withFailures(withProgress(deployment, status, sets.newest, now), sets);
  const { conditions: _, ...counts } = status;
  return conditions.length > 0 ? { ...counts, conditions } : counts;
}

function withProgress(
  deployment: StoredDeployment,
  status: DeploymentStatus,
  newest: StoredReplicaSet | undefined,
  now: Date,
): DeploymentCondition[] {
  const conditions = status.conditions ?? [];
  if (!hasProgressDeadline(deployment)) return without(conditions, progressing);
  const current = conditionOf(conditions, progressing);
  const wasComplete = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (wasComplete) return conditions;

  const who = newest ? `ReplicaSet "${newest.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const say = (state: 'True' | 'False', reason: string, what: string): ConditionText => ({
    type: progressing,
    status: state,
    reason,
    message: `${who} ${what}`,
  });
  if (isComplete(deployment, status))
    return withCondition(conditions, say('True', 'NewReplicaSetAvailable', 'has successfully progressed.'), now);
  if (isProgressing(deployment.status, status)) {
    // Every step forward renews the time that the deadline is counted from.
    const next = say('True', 'ReplicaSetUpdated', 'is progressing.');
    const at = timestamp(now);
    const lastTransitionTime = current?.status === 'True' ? (current.lastTransitionTime ?? at) : at;
    return [...without(conditions, progressing), { ...next, lastUpdateTime: at, lastTransitionTime }];
  }
  if (isTimedOut(deployment, current, now))
    return withCondition(conditions, say('False', 'ProgressDeadlineExceeded', 'has timed out progressing.'), now);
  return conditions;
}

function isProgressing(old: DeploymentStatus | undefined, next: DeploymentStatus): boolean {
  const outdated = (status: DeploymentStatus | undefined) => (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return (
    (next.updatedReplicas ?? 0) > (old?.updatedReplicas ?? 0) ||
    outdated(next) < outdated(old) ||
    (next.readyReplicas ?? 0) > (old?.readyReplicas ?? 0) ||
    (next.availableReplicas ?? 0) > (old?.availableReplicas ?? 0)
  );
}

function isTimedOut({ spec }: StoredDeployment, current: DeploymentCondition | undefined, now: Date): boolean {
  if (!current || current.reason === 'NewReplicaSetAvailable') return false;
  if (current.reason === 'ProgressDeadlineExceeded') return true;
  return Date.parse(current.lastUpdateTime ?? '') + (spec.progressDeadlineSeconds ?? 0) * 1000 < now.getTime();
}

function withFailures(conditions: readonly DeploymentCondition[], { newest, older }: ObservedSets): DeploymentCondition[] {
  for (const set of newest ? [newest, ...older] : older) {
    const failure = set.status?.conditions?.find(condition => condition.type === replicaFailure);
    if (!failure) continue;
    const present = conditionOf(conditions, replicaFailure);
    if (present?.status === failure.status && present.reason === failure.reason) return [...conditions];
    const { lastTransitionTime } = failure;
    const times = lastTransitionTime === undefined ? {} : { lastTransitionTime, lastUpdateTime: lastTransitionTime };
    return [...without(conditions, replicaFailure), { ...failure, ...times }];
  }
  return without(conditions, replicaFailure);
}

/** How long until the deadline may have passed; undefined when no deadline runs. */
export function deadlineInMs(deployment: StoredDeployment, status: DeploymentStatus | undefined, now: Date): number | undefined {
  const current = conditionOf(status?.conditions, progressing);
  if (!hasProgressDeadline(deployment) || !current) return undefined;
  if (isComplete(deployment, status) || current.reason === 'ProgressDeadlineExceeded') return undefined;
  const deadline = Date.parse(current.lastUpdateTime ?? '') + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000;
  return Math.max(0, deadline - now.getTime()) + 1000;
}
