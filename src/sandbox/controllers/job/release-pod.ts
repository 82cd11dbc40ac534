import type { ClusterApi } from '../../../apiserver/cluster-api.ts';
import type { StoredPod } from '../pod-state.ts';
import { targetOf } from '../stored-object.ts';
import { fieldManager, pods } from '../workload-resources.ts';
import { unlessGone } from '../write-errors.ts';
import { trackingFinalizer } from './job-pods.ts';

/** Lets a pod go that was held until its job had counted it. */
export async function releasePod(api: ClusterApi, pod: StoredPod): Promise<void> {
  const body = { metadata: { uid: pod.metadata.uid, ['$deleteFromPrimitiveList/finalizers']: [trackingFinalizer] } };
  await unlessGone(api.patch(pods, targetOf(pod), { type: 'strategic', body }, { fieldManager }));
}
