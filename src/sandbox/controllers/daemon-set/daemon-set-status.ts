import type { DaemonSetStatus } from '../../../api/kubernetes.ts';
import type { DaemonState } from './daemon-set-plan.ts';
import { byPlacement, isUpdated, judgeNode } from './daemon-set-pods.ts';
import { isAvailable, isReady, type StoredPod } from '../pod-state.ts';
import { nonZero } from '../non-zero.ts';

export function daemonSetStatus({ set, nodes, podsByNode, hash, now }: DaemonState): DaemonSetStatus {
  const placed: StoredPod[] = [];
  let desired = 0;
  let misplaced = 0;
  for (const node of nodes) {
    const [pod] = (podsByNode.get(node.metadata.name) ?? []).toSorted(byPlacement);
    if (judgeNode(set, node).shouldRun) {
      desired++;
      if (pod) placed.push(pod);
    } else if (pod) misplaced++;
  }
  const available = placed.filter(pod => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length;
  const { collisionCount, conditions } = set.status ?? {};
  return {
    currentNumberScheduled: placed.length,
    desiredNumberScheduled: desired,
    numberMisscheduled: misplaced,
    numberReady: placed.filter(isReady).length,
    ...nonZero({
      observedGeneration: set.metadata.generation ?? 0,
      updatedNumberScheduled: placed.filter(pod => isUpdated(set, pod, hash)).length,
      numberAvailable: available,
      numberUnavailable: desired - available,
    }),
    ...(collisionCount !== undefined && { collisionCount }),
    ...(conditions && { conditions }),
  };
}
