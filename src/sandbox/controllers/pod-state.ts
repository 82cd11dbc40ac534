import type { Pod, PodCondition } from '../../api/kubernetes.ts';
import { isDeleting, type Stored } from './stored-object.ts';

export type StoredPod = Stored<Pod>;

export const isFinished = ({ status }: Pick<StoredPod, 'status'>): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Runs, or may still run. */
export const isActive = (pod: StoredPod): boolean => !isFinished(pod) && !isDeleting(pod);

/** Was told to end and has not ended. */
export const isTerminating = (pod: StoredPod): boolean => !isFinished(pod) && isDeleting(pod);

function readyCondition({ status }: Pick<StoredPod, 'status'>): PodCondition | undefined {
  return status?.conditions?.find(condition => condition.type === 'Ready');
}

export const isReady = (pod: Pick<StoredPod, 'status'>): boolean => readyCondition(pod)?.status === 'True';

/** When the pod became ready, in milliseconds; undefined when it is not, or did not say. */
export function readySinceMs(pod: Pick<StoredPod, 'status'>): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== 'True' || !condition.lastTransitionTime) return undefined;
  return Date.parse(condition.lastTransitionTime);
}

/** Ready for as long as the workload asks. */
export function isAvailable(pod: Pick<StoredPod, 'status'>, minReadySeconds: number, now: Date): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySinceMs(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now.getTime();
}

/** How long until the next of these pods becomes available by the passing of time alone. */
export function nextAvailableInMs(pods: readonly StoredPod[], minReadySeconds: number, now: Date): number | undefined {
  let next: number | undefined;
  if (minReadySeconds <= 0) return next;
  for (const pod of pods) {
    const since = readySinceMs(pod);
    if (since === undefined) continue;
    const left = since + minReadySeconds * 1000 - now.getTime();
    if (left > 0 && (next === undefined || left < next)) next = left;
  }
  return next;
}
