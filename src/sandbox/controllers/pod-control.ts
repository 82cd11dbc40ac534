import type { PodTemplateSpec } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ClusterApi } from '../../apiserver/cluster-api.ts';
import { cloneJson } from '../../util/json.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { StoredPod } from './pod-state.ts';
import { asStored, controllerRefTo, targetOf, type StoredIdentity } from './stored-object.ts';
import { fieldManager, pods } from './workload-resources.ts';
import { isNamespaceTerminating, isNotFound, messageOf, ToldError } from './write-errors.ts';

const longestName = 253;

/** A pod as the template describes it, managed by the owner; the server completes its name. */
export function podFromTemplate(template: PodTemplateSpec, owner: StoredIdentity): KubeObject {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { name, namespace = '' } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      generateName: name.length < longestName ? `${name}-` : name,
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [controllerRefTo(owner)],
    },
    spec: cloneJson(template.spec ?? {}),
  };
}

/** Creates and deletes the pods of owners, and tells about it on the owners. */
export interface PodControl {
  create(owner: StoredIdentity, pod: KubeObject): Promise<StoredPod>;
  /** Throws when the pod could not be deleted; a pod that is gone is no failure. */
  delete(owner: StoredIdentity, pod: StoredPod): Promise<void>;
}

export function podControl(api: ClusterApi, recorder: EventRecorder): PodControl {
  return {
    async create(owner, pod) {
      try {
        const created = asStored(await api.create(pods, pod, { fieldManager })) as StoredPod;
        recorder.record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
        return created;
      } catch (error) {
        if (isNamespaceTerminating(error)) throw error;
        recorder.record(owner, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
        throw new ToldError(error);
      }
    },
    async delete(owner, pod) {
      try {
        await api.delete(pods, targetOf(pod), { fieldManager });
        recorder.record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        if (isNotFound(error)) return;
        recorder.record(owner, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`);
        throw new Error(`unable to delete pods: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}

/**
 * Calls in batches that double from one, and stops after the first batch with a failure: what is refused is mostly refused for all, by
 * a quota for example. Throws the first failure.
 */
export async function inGrowingBatches(count: number, call: (index: number) => Promise<unknown>): Promise<void> {
  let done = 0;
  for (let size = 1; done < count; size *= 2) {
    const batch = Math.min(size, count - done);
    const start = done;
    const results = await Promise.allSettled(Array.from({ length: batch }, (_, i) => call(start + i)));
    const failure = results.find(result => result.status === 'rejected');
    if (failure) throw failure.reason;
    done += batch;
  }
}
