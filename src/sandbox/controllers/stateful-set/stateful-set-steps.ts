import type { Pod } from '../../../api/kubernetes.ts';
import type { ControllerContext } from '../controller-definition.ts';
import type { EventRecorder } from '../event-recorder.ts';
import { inGrowingBatches } from '../pod-control.ts';
import { isFinished, type StoredPod } from '../pod-state.ts';
import { statefulPodControl } from './stateful-set-pod-control.ts';
import {
  firstOrdinal,
  isParallel,
  isRunningAndReady,
  isUnavailable,
  isWanted,
  newPod,
  ordinalOf,
  podName,
  replicasOf,
  revisionOfPod,
  type Revisions,
  type StoredStatefulSet,
} from './stateful-set-pods.ts';
import { asStored, controllerOf, isDeleting } from '../stored-object.ts';
import { pods } from '../workload-resources.ts';

/** Whether the rest has to wait for what was done or found. */
type Wait = 'wait' | 'go on';

/** One pass over the pods of a set: create what is missing, delete what is too much, then replace one of an older revision. */
export function statefulSetSteps(ctx: ControllerContext, recorder: EventRecorder) {
  const { api } = ctx;
  const control = statefulPodControl(api, recorder);

  return async function step(set: StoredStatefulSet, revisions: Revisions, own: readonly StoredPod[]): Promise<void> {
    const first = firstOrdinal(set);
    const ordinals = Array.from({ length: replicasOf(set) }, (_, i) => first + i);
    if ((await forEach(set, ordinals, ordinal => ensurePod(set, revisions, ordinal))) === 'wait') return;

    const surplus = own
      .filter(pod => ordinalOf(pod) >= 0 && !isWanted(set, ordinalOf(pod)))
      .toSorted((a, b) => ordinalOf(b) - ordinalOf(a));
    for (const pod of surplus) await control.applyRetention(set, pod);
    const firstUnavailable = findFirstUnavailable(set, ordinals, surplus);
    if ((await forEach(set, surplus, pod => removeSurplus(set, pod, firstUnavailable))) === 'wait') return;

    if (set.spec.updateStrategy?.type !== 'OnDelete') await replaceOutdated(set, revisions.update.metadata.name, ordinals);
  };

  /** In order, stopping at the first that asks to wait; or, for a parallel set, all of them. */
  async function forEach<T>(set: StoredStatefulSet, items: readonly T[], deed: (item: T) => Promise<Wait>): Promise<Wait> {
    if (isParallel(set)) {
      await inGrowingBatches(items.length, i => deed(items[i]!));
      return 'go on';
    }
    for (const item of items) if ((await deed(item)) === 'wait') return 'wait';
    return 'go on';
  }

  async function ensurePod(set: StoredStatefulSet, revisions: Revisions, ordinal: number): Promise<Wait> {
    const pod = peekPod(set, ordinal);
    if (!pod) {
      await control.create(set, newPod(set, revisions, ordinal));
      return 'wait';
    }
    if (isFinished(pod)) {
      if (!isDeleting(pod)) await control.delete(set, pod);
      return 'wait';
    }
    if (pod.status?.phase === 'Pending') await control.ensureClaims(set, pod);
    const isSettled = !isDeleting(pod) && isRunningAndReady(pod) && !isUnavailable(pod, set, ctx.now());
    if (!isSettled && !isParallel(set)) return 'wait';
    await control.repair(set, pod);
    return 'go on';
  }

  function peekPod(set: StoredStatefulSet, ordinal: number): StoredPod | undefined {
    const pod = api.peek(pods, set.metadata.namespace ?? '', podName(set, ordinal));
    return pod && controllerOf(pod)?.uid === set.metadata.uid ? asStored<Pod>(pod) : undefined;
  }

  /** The lowest wanted pod that is not available, else the lowest surplus one: it may be deleted although it is not healthy. */
  function findFirstUnavailable(set: StoredStatefulSet, ordinals: readonly number[], surplus: readonly StoredPod[]): string | undefined {
    const now = ctx.now();
    for (const ordinal of ordinals) {
      const pod = peekPod(set, ordinal);
      if (!pod || isUnavailable(pod, set, now)) return podName(set, ordinal);
    }
    return surplus.findLast(pod => isUnavailable(pod, set, now))?.metadata.name;
  }

  async function removeSurplus(set: StoredStatefulSet, pod: StoredPod, firstUnavailable: string | undefined): Promise<Wait> {
    if (isDeleting(pod)) return 'wait';
    const isHealthy = isRunningAndReady(pod) && !isUnavailable(pod, set, ctx.now());
    if (!isHealthy && !isParallel(set) && pod.metadata.name !== firstUnavailable) return 'wait';
    await control.delete(set, pod);
    return 'wait';
  }

  // From the highest number down; one at a time, and only while those above are available.
  async function replaceOutdated(set: StoredStatefulSet, updateRevision: string, ordinals: readonly number[]): Promise<void> {
    const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
    for (const ordinal of ordinals.slice(partition).toReversed()) {
      const pod = peekPod(set, ordinal);
      if (pod && revisionOfPod(pod) !== updateRevision && !isDeleting(pod)) return control.delete(set, pod);
      if (!pod || isUnavailable(pod, set, ctx.now())) return;
    }
  }
}
