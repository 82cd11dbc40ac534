import type { ReplicaSetCondition, ReplicaSetStatus } from '../../../api/kubernetes.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { isAvailable, isReady, type StoredPod } from '../pod-state.ts';
import { nonZero } from '../non-zero.ts';
import type { Replicas } from './replica-flavor.ts';
import { messageOf } from '../write-errors.ts';

const replicaFailure = 'ReplicaFailure';

export interface ReplicaObservation {
  readonly active: readonly StoredPod[];
  /** Undefined when the kind does not tell it. */
  readonly terminating: number | undefined;
  /** Why the number of pods could not be changed, and which way it should have gone. */
  readonly failure: { readonly error: unknown; readonly reason: 'FailedCreate' | 'FailedDelete' } | undefined;
}

/** Zero counts are left out, as Go does. */
export function replicaStatus(owner: Replicas, { active, terminating, failure }: ReplicaObservation, now: Date): ReplicaSetStatus {
  const labels = Object.entries(owner.spec.template?.metadata?.labels ?? {});
  const isFullyLabeled = (pod: StoredPod) => labels.every(([key, value]) => pod.metadata.labels?.[key] === value);
  const ready = active.filter(isReady);
  const available = ready.filter(pod => isAvailable(pod, owner.spec.minReadySeconds ?? 0, now));
  const conditions = withFailure(owner.status?.conditions ?? [], failure, now);
  const { generation = 0 } = owner.metadata;
  return {
    replicas: active.length,
    ...nonZero({
      fullyLabeledReplicas: active.filter(isFullyLabeled).length,
      readyReplicas: ready.length,
      availableReplicas: available.length,
      observedGeneration: generation,
    }),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(conditions.length > 0 && { conditions }),
  };
}

function withFailure(
  present: readonly ReplicaSetCondition[],
  failure: ReplicaObservation['failure'],
  now: Date,
): readonly ReplicaSetCondition[] & ReplicaSetCondition[] {
  const others = present.filter(condition => condition.type !== replicaFailure);
  if (!failure) return others;
  const known = present.find(condition => condition.type === replicaFailure);
  const fresh = {
    type: replicaFailure,
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: failure.reason,
    message: messageOf(failure.error),
  };
  return [...others, known ?? fresh];
}
