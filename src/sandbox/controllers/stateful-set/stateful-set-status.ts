import type { StatefulSetStatus } from '../../../api/kubernetes.ts';
import { isAvailable, type StoredPod } from '../pod-state.ts';
import { nonZero } from '../non-zero.ts';
import { isRunningAndReady, replicasOf, revisionOfPod, type Revisions, type StoredStatefulSet } from './stateful-set-pods.ts';
import { isDeleting } from '../stored-object.ts';

export interface StatefulSetObservation extends Revisions {
  readonly pods: readonly StoredPod[];
  readonly collisionCount: number;
}

/** Once all pods are of the newest revision, and ready, it is the current one. */
export function statefulSetStatus(set: StoredStatefulSet, observed: StatefulSetObservation, now: Date): StatefulSetStatus {
  const { pods, current, update, collisionCount } = observed;
  const ready = pods.filter(isRunningAndReady);
  const available = ready.filter(pod => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length;
  const staying = pods.filter(pod => !isDeleting(pod));
  const countOf = (revision: string) => staying.filter(pod => revisionOfPod(pod) === revision).length;
  const updated = countOf(update.metadata.name);
  const wanted = replicasOf(set);
  const isComplete =
    set.spec.updateStrategy?.type === 'RollingUpdate' && updated === wanted && ready.length === wanted && pods.length === wanted;
  const { conditions } = set.status ?? {};
  return {
    replicas: pods.length,
    availableReplicas: available,
    ...nonZero({
      observedGeneration: set.metadata.generation ?? 0,
      readyReplicas: ready.length,
      updatedReplicas: updated,
      currentReplicas: isComplete ? updated : countOf(current.metadata.name),
    }),
    currentRevision: isComplete ? update.metadata.name : current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
    ...(conditions && { conditions }),
  };
}
