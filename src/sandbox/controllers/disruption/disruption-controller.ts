import type { LabelSelector, Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../../api/kubernetes.ts';
import type { KubeObject, OwnerReference } from '../../../api/object.ts';
import type { Change, ClusterApi } from '../../../apiserver/cluster-api.ts';
import { selectorMatches } from '../../../apiserver/validation/label-selector.ts';
import type { Outcome } from '../../../runtime/work-queue.ts';
import { jsonEqual } from '../../../util/json.ts';
import type { ControllerContext, ControllerDefinition, FedController } from '../controller-definition.ts';
import { budgetStatus, expectationOf, failedStatus, grantedEvictions, needsScale, type StoredBudget } from './disruption-status.ts';
import { goSelector } from '../go-selector.ts';
import type { StoredPod } from '../pod-state.ts';
import { findScale } from '../scale-target.ts';
import { asStored, controllerOf, keyOf, splitKey } from '../stored-object.ts';
import { deployments, disruptionBudgets, fieldManager, pods, replicaSets } from '../workload-resources.ts';
import { messageOf } from '../write-errors.ts';

export const disruptionController: ControllerDefinition = {
  name: 'disruption',
  reconciles: [disruptionBudgets],
  watches: [pods],
  start: startDisruptionController,
};

/** Says how many pods of each budget may be evicted now. */
function startDisruptionController(ctx: ControllerContext): FedController {
  const { api } = ctx;
  const recorder = ctx.recorder('controllermanager');
  const queue = ctx.queue({ reconcile });
  for (const obj of api.peekAll(disruptionBudgets)) queue.add(keyOf(obj));

  return {
    observe: change => (change.resource.resource === pods.resource ? observePod(change) : queue.add(`${change.namespace}/${change.name}`)),
    idle: () => queue.idle(),
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };

  function observePod({ namespace, obj, old }: Change): void {
    if (api.count(disruptionBudgets, namespace) === 0) return;
    for (const budget of api.peekAll(disruptionBudgets, namespace)) {
      const { selector } = asStored<PodDisruptionBudget>(budget).spec;
      const isConcerned = selectorMatches(selector, obj.metadata.labels) || (old && selectorMatches(selector, old.metadata.labels));
      if (isConcerned) queue.add(keyOf(budget));
    }
  }

  async function reconcile(key: string): Promise<Outcome> {
    const { namespace, name } = splitKey(key);
    const obj = api.peek(disruptionBudgets, namespace, name);
    if (!obj) return;
    const budget = asStored<PodDisruptionBudget>(obj);
    const now = ctx.now();
    const covered = api
      .peekAll(pods, namespace)
      .filter(pod => selectorMatches(budget.spec.selector, pod.metadata.labels))
      .map(pod => asStored<Pod>(pod));
    if (covered.length === 0) recorder.record(budget, 'Normal', 'NoPods', 'No matching pods found');

    let scale = 0;
    try {
      if (needsScale(budget)) scale = scaleOfControllers(budget, covered);
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
      recorder.record(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
      return void (await report(obj, failedStatus(budget, messageOf(error), now)));
    }
    const evictions = grantedEvictions(budget, covered, now);
    for (const pod of evictions.overdue)
      recorder.record(pod, 'Warning', 'NotDeleted', `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`);
    const expectation = expectationOf(budget, covered.length, () => scale);
    await report(obj, budgetStatus(budget, expectation, covered, evictions, now));
    return evictions.nextInMs === undefined ? undefined : { requeueAfterMs: evictions.nextInMs + 1000 };
  }

  function scaleOfControllers(budget: StoredBudget, covered: readonly StoredPod[]): number {
    const scales = new Map<string, number>();
    let isUnmanaged = false;
    for (const pod of covered) {
      const ref = controllerOf(pod);
      if (!ref) isUnmanaged = true;
      else if (!scales.has(ref.uid)) {
        const found = scaleOfController(api, pod.metadata.namespace ?? '', ref);
        if (!found) throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
        scales.set(found.uid, found.replicas);
      }
    }
    if (isUnmanaged) recorder.record(budget, 'Warning', 'UnmanagedPods', unmanagedMessage(budget.spec.selector));
    return [...scales.values()].reduce((total, replicas) => total + replicas, 0);
  }

  async function report(obj: KubeObject, status: PodDisruptionBudgetStatus): Promise<void> {
    if (jsonEqual(status, obj['status'])) return;
    await api.update(disruptionBudgets, { ...obj, status }, { subresource: 'status', fieldManager });
  }
}

/** The replicas that a pod's controller asks for; of a Deployment's ReplicaSets the Deployment knows better. */
function scaleOfController(api: ClusterApi, namespace: string, ref: OwnerReference): { uid: string; replicas: number } | undefined {
  const target = findScale(api, namespace, ref);
  if (target?.obj.metadata.uid !== ref.uid || !target) return undefined;
  const above = target.resource.resource === replicaSets.resource ? controllerOf(target.obj) : undefined;
  if (above?.kind === deployments.kind) return scaleOfController(api, namespace, above);
  return { uid: ref.uid, replicas: target.replicas };
}

function unmanagedMessage(selector: LabelSelector | undefined): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${goSelector(selector ?? {})}) were found to be unmanaged. As a result, the status of the PDB ` +
    'cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of ' +
    'the PDB to an integer value.'
  );
}
