import type { KubeObject } from '../../../api/object.ts';
import type { ClusterApi } from '../../../apiserver/cluster-api.ts';
import type { EventRecorder } from '../event-recorder.ts';
import type { StoredPod } from '../pod-state.ts';
import { claimsFor, isManagedElsewhere, isStaleFor, ownersByPolicy, type ClaimUser } from './stateful-set-claims.ts';
import { hasIdentity, isWanted, ordinalOf, withIdentity, type StoredStatefulSet } from './stateful-set-pods.ts';
import { asObject, isDeleting, targetOf } from '../stored-object.ts';
import { claims, fieldManager, pods } from '../workload-resources.ts';
import { isAlreadyExists, isConflict, isNotFound, messageOf, ToldError } from '../write-errors.ts';

type Verb = 'Create' | 'Update' | 'Delete';

/** The deeds of a StatefulSet: its pods and their claims, told about on the set. */
export interface StatefulPodControl {
  /** False when the pod has to wait until a claim of an earlier pod is gone. */
  create(set: StoredStatefulSet, pod: KubeObject): Promise<boolean>;
  delete(set: StoredStatefulSet, pod: StoredPod): Promise<void>;
  /** Makes claims that are missing. */
  ensureClaims(set: StoredStatefulSet, pod: StoredPod): Promise<void>;
  /** Corrects the identity of a pod and the owners of its claims. */
  repair(set: StoredStatefulSet, pod: StoredPod): Promise<void>;
  /** Gives the pod's claims the owners that the retention policy calls for. */
  applyRetention(set: StoredStatefulSet, pod: StoredPod): Promise<void>;
}

export function statefulPodControl(api: ClusterApi, recorder: EventRecorder): StatefulPodControl {
  return {
    async create(set, pod) {
      const user = userOf(set, pod);
      if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete')
        for (const claim of presentClaims(set, pod)) if (isStaleFor(claim, user)) return false;
      await tellFailure(set, pod, 'Create', async () => {
        await createClaims(set, pod);
        await api.create(pods, pod, { fieldManager });
      });
      await tellFailure(set, pod, 'Update', () => retain(set, pod));
      tell(set, pod, 'Create');
      return true;
    },
    async delete(set, pod) {
      await tellFailure(set, pod, 'Delete', async () => {
        try {
          await api.delete(pods, targetOf(pod), { fieldManager });
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      });
      tell(set, pod, 'Delete');
    },
    async ensureClaims(set, pod) {
      await createClaims(set, pod);
      await tellFailure(set, pod, 'Update', () => retain(set, pod));
    },
    async repair(set, pod) {
      const isRetained = await tellFailure(set, pod, 'Update', () => retain(set, pod));
      if (hasIdentity(pod) && isRetained) return;
      await tellFailure(set, pod, 'Update', async () => {
        await api.update(pods, asObject(withIdentity(pod)), { fieldManager });
      });
      tell(set, pod, 'Update');
    },
    applyRetention: async (set, pod) => void (await retain(set, asObject(pod))),
  };

  function presentClaims(set: StoredStatefulSet, pod: { metadata: { name?: string } }): KubeObject[] {
    const wanted = claimsFor(set, ordinalOf(pod)).map(targetOf);
    return wanted.flatMap(({ namespace, name }) => api.peek(claims, namespace, name) ?? []);
  }

  async function createClaims(set: StoredStatefulSet, pod: { metadata: { name?: string } }): Promise<void> {
    let failure: unknown;
    for (const claim of claimsFor(set, ordinalOf(pod))) {
      const { namespace, name } = targetOf(claim);
      const present = api.peek(claims, namespace, name);
      if (present && isDeleting(present)) failure ??= new Error(`pvc ${name} is being deleted`);
      if (present) continue;
      try {
        await api.create(claims, claim, { fieldManager });
        recorder.record(
          set,
          'Normal',
          'SuccessfulCreate',
          `Create Claim ${name} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} success`,
        );
      } catch (error) {
        const words = `Create Claim ${name} for Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} failed error: ${messageOf(error)}`;
        if (!isAlreadyExists(error)) recorder.record(set, 'Warning', 'FailedCreate', words);
        failure ??= new Error(`failed to create PVC ${name}: ${messageOf(error)}`, { cause: error });
      }
    }
    if (failure !== undefined) throw failure;
  }

  /** True when nothing had to be done. */
  async function retain(set: StoredStatefulSet, pod: KubeObject | StoredPod): Promise<boolean> {
    let wasRight = true;
    const user = userOf(set, pod);
    for (const claim of presentClaims(set, pod)) {
      if (isManagedElsewhere(claim, set, user))
        recorder.record(
          set,
          'Warning',
          'ConflictingController',
          `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`,
        );
      const owners = ownersByPolicy(claim, set, user);
      if (!owners) continue;
      wasRight = false;
      await api.update(claims, { ...claim, metadata: { ...claim.metadata, ownerReferences: owners } }, { fieldManager });
    }
    return wasRight;
  }

  function tell(set: StoredStatefulSet, pod: { metadata: { name?: string } }, verb: Verb): void {
    const message = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    recorder.record(set, 'Normal', `Successful${verb}`, message);
  }

  async function tellFailure<T>(
    set: StoredStatefulSet,
    pod: { metadata: { name?: string } },
    verb: Verb,
    deed: () => Promise<T>,
  ): Promise<T> {
    try {
      return await deed();
    } catch (error) {
      const message = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} failed error: ${messageOf(error)}`;
      if (isAlreadyExists(error) || isConflict(error)) throw error;
      recorder.record(set, 'Warning', `Failed${verb}`, message);
      throw new ToldError(error);
    }
  }
}

function userOf(set: StoredStatefulSet, { metadata }: { metadata: { name?: string; uid?: string } }): ClaimUser {
  const name = metadata.name ?? '';
  return { name, uid: metadata.uid ?? '', isWanted: isWanted(set, ordinalOf({ metadata: { name } })) };
}
