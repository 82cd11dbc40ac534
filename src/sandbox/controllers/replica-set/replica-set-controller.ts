import type { Pod } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Change } from '../../../apiserver/cluster-api.ts';
import { selectorMatches } from '../../../apiserver/validation/label-selector.ts';
import type { Outcome } from '../../../runtime/work-queue.ts';
import { jsonEqual } from '../../../util/json.ts';
import { claimObjects } from '../claim-objects.ts';
import type { ControllerContext, ControllerDefinition, FedController } from '../controller-definition.ts';
import { ownersOfChange } from '../owners-of-change.ts';
import { inGrowingBatches, podControl, podFromTemplate } from '../pod-control.ts';
import { choosePodsToDelete } from '../pod-deletion-order.ts';
import { isActive, isTerminating, nextAvailableInMs, type StoredPod } from '../pod-state.ts';
import { replicaSetFlavor, replicationControllerFlavor, type ReplicaFlavor, type Replicas } from './replica-flavor.ts';
import { replicaStatus, type ReplicaObservation } from './replica-set-status.ts';
import { asStored, controllerOf, isDeleting, keyOf, splitKey } from '../stored-object.ts';
import { fieldManager, pods } from '../workload-resources.ts';
import { isNamespaceTerminating, ToldError } from '../write-errors.ts';

/** Pods created or deleted in one go. */
const burst = 500;

export const replicaSetController = definitionOf(replicaSetFlavor, 'replica-set');
export const replicationController = definitionOf(replicationControllerFlavor, 'replication-controller');

function definitionOf(flavor: ReplicaFlavor, name: string): ControllerDefinition {
  return { name, reconciles: [flavor.resource], watches: [pods], start: ctx => startReplicaController(ctx, flavor) };
}

/** Keeps as many pods as asked for, takes over orphans that match and lets go what no longer does. */
function startReplicaController(ctx: ControllerContext, flavor: ReplicaFlavor): FedController {
  const { api } = ctx;
  const { resource } = flavor;
  const control = podControl(api, ctx.recorder(flavor.component));
  const queue = ctx.queue({ reconcile });
  for (const obj of api.peekAll(resource)) queue.add(keyOf(obj));

  return {
    observe: change => (change.resource.resource === pods.resource ? observePod(change) : queue.add(`${change.namespace}/${change.name}`)),
    idle: () => queue.idle(),
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };

  function observePod(change: Change): void {
    const selects = (owner: KubeObject, pod: KubeObject) => selectorMatches(flavor.read(owner).spec.selector, pod.metadata.labels);
    for (const key of ownersOfChange(api, resource, change, selects)) queue.add(key);
  }

  async function reconcile(key: string): Promise<Outcome> {
    const { namespace, name } = splitKey(key);
    const obj = api.peek(resource, namespace, name);
    if (!obj) return;
    const owner = flavor.read(obj);

    const claimed = await claimPods(owner);
    const failure = isDeleting(owner) ? undefined : await changeCount(owner, claimed);

    const now = ctx.now();
    const own = ownPods(owner);
    const active = own.filter(isActive);
    const terminating = flavor.countsTerminating ? own.filter(isTerminating).length : undefined;
    await writeStatus(obj, owner, { active, terminating, failure }, now);
    if (failure) throw new ToldError(failure.error);

    const requeueAfterMs = nextAvailableInMs(active, owner.spec.minReadySeconds ?? 0, now);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  function claimPods(owner: Replicas): Promise<StoredPod[]> {
    const { namespace = '', uid } = owner.metadata;
    const candidates = [...ctx.pods.of(namespace, uid), ...ctx.pods.orphans(namespace)].map(pod => asStored<Pod>(pod));
    const matches = (pod: StoredPod) => selectorMatches(owner.spec.selector, pod.metadata.labels);
    return claimObjects(api, { resource: pods, owner, ownerResource: resource, candidates: candidates.filter(isActive), matches });
  }

  function ownPods(owner: Replicas): StoredPod[] {
    return ctx.pods
      .of(owner.metadata.namespace ?? '', owner.metadata.uid)
      .map(pod => asStored<Pod>(pod))
      .filter(pod => selectorMatches(owner.spec.selector, pod.metadata.labels));
  }

  async function changeCount(owner: Replicas, active: readonly StoredPod[]): Promise<ReplicaObservation['failure']> {
    const missing = (owner.spec.replicas ?? 1) - active.length;
    try {
      if (missing > 0) await createPods(owner, Math.min(missing, burst));
      else if (missing < 0) await deletePods(owner, active, Math.min(-missing, burst));
      return undefined;
    } catch (error) {
      return { error, reason: missing > 0 ? 'FailedCreate' : 'FailedDelete' };
    }
  }

  async function createPods(owner: Replicas, count: number): Promise<void> {
    await inGrowingBatches(count, async () => {
      try {
        await control.create(owner, podFromTemplate(owner.spec.template ?? {}, owner));
      } catch (error) {
        // Everything in the namespace goes, this owner included: nothing is left to be done, now or later.
        if (!isNamespaceTerminating(error)) throw error;
      }
    });
  }

  async function deletePods(owner: Replicas, active: readonly StoredPod[], count: number): Promise<void> {
    const chosen = choosePodsToDelete(active, relatedPods(owner), count, ctx.now());
    const results = await Promise.allSettled(chosen.map(pod => control.delete(owner, pod)));
    const failed = results.find(result => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Pods of all owners that the same controller manages: those of an older revision count when nodes are compared. */
  function relatedPods(owner: Replicas): StoredPod[] {
    const controller = controllerOf(owner);
    if (!controller) return [];
    const namespace = owner.metadata.namespace ?? '';
    return api
      .peekAll(resource, namespace)
      .filter(sibling => controllerOf(sibling)?.uid === controller.uid)
      .flatMap(sibling => ownPods(flavor.read(sibling)));
  }

  async function writeStatus(obj: KubeObject, owner: Replicas, observed: ReplicaObservation, now: Date): Promise<void> {
    const status = replicaStatus(owner, observed, now);
    if (jsonEqual(status, obj['status'])) return;
    await api.update(resource, { ...obj, status }, { subresource: 'status', fieldManager });
  }
}
