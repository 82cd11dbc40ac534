import type { Pod, StatefulSet } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { selectorMatches } from '../../../apiserver/validation/label-selector.ts';
import type { Outcome } from '../../../runtime/work-queue.ts';
import { jsonEqual } from '../../../util/json.ts';
import { claimObjects } from '../claim-objects.ts';
import type { ControllerContext, ControllerDefinition, FedController } from '../controller-definition.ts';
import { revisionHistory } from '../controller-revisions.ts';
import { ownersOfChange } from '../owners-of-change.ts';
import { nextAvailableInMs, type StoredPod } from '../pod-state.ts';
import { splitPodName, type StoredStatefulSet } from './stateful-set-pods.ts';
import { expiredRevisions, settleRevisions } from './stateful-set-revisions.ts';
import { statefulSetStatus } from './stateful-set-status.ts';
import { statefulSetSteps } from './stateful-set-steps.ts';
import { asStored, isDeleting, keyOf, splitKey } from '../stored-object.ts';
import { controllerRevisions, fieldManager, pods, statefulSets } from '../workload-resources.ts';

export const statefulSetController: ControllerDefinition = {
  name: 'stateful-set',
  reconciles: [statefulSets],
  watches: [pods, controllerRevisions],
  start: startStatefulSetController,
};

/** Keeps numbered pods with claims of their own, one after the other or all at once. */
function startStatefulSetController(ctx: ControllerContext): FedController {
  const { api } = ctx;
  const history = revisionHistory(ctx, statefulSets);
  const step = statefulSetSteps(ctx, ctx.recorder('statefulset-controller'));
  const queue = ctx.queue({ reconcile });
  for (const obj of api.peekAll(statefulSets)) queue.add(keyOf(obj));

  return {
    observe(change) {
      if (change.resource.resource === statefulSets.resource) queue.add(`${change.namespace}/${change.name}`);
      else if (change.resource.resource === pods.resource)
        for (const key of ownersOfChange(api, statefulSets, change, selects)) queue.add(key);
    },
    idle: () => queue.idle(),
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };

  function selects(owner: KubeObject, pod: KubeObject): boolean {
    return selectorMatches(asStored<StatefulSet>(owner).spec.selector, pod.metadata.labels);
  }

  async function reconcile(key: string): Promise<Outcome> {
    const { namespace, name } = splitKey(key);
    const obj = api.peek(statefulSets, namespace, name);
    if (!obj) return;
    const set = asStored<StatefulSet>(obj);
    const known = await history.claim(set);
    const claimed = await claimPods(set);
    const { collisionCount, ...revisions } = await settleRevisions(set, known, history);

    let failure: unknown;
    if (!isDeleting(set)) await step(set, revisions, claimed).catch(error => void (failure = error));

    const now = ctx.now();
    const own = ownPods(set);
    await report(obj, statefulSetStatus(set, { ...revisions, pods: own, collisionCount }, now));
    await history.delete(expiredRevisions(set, known, revisions, own));
    if (failure !== undefined) throw failure;

    const requeueAfterMs = nextAvailableInMs(own, set.spec.minReadySeconds ?? 0, now);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  function claimPods(set: StoredStatefulSet): Promise<StoredPod[]> {
    const { namespace = '', uid } = set.metadata;
    const candidates = [...ctx.pods.of(namespace, uid), ...ctx.pods.orphans(namespace)].map(pod => asStored<Pod>(pod));
    return claimObjects(api, {
      resource: pods,
      owner: set,
      ownerResource: statefulSets,
      candidates,
      matches: pod => isMember(set, pod),
    });
  }

  function isMember(set: StoredStatefulSet, { metadata }: StoredPod): boolean {
    return selectorMatches(set.spec.selector, metadata.labels) && splitPodName(metadata.name).parent === set.metadata.name;
  }

  function ownPods(set: StoredStatefulSet): StoredPod[] {
    const { namespace = '', uid } = set.metadata;
    return ctx.pods
      .of(namespace, uid)
      .map(pod => asStored<Pod>(pod))
      .filter(pod => isMember(set, pod));
  }

  async function report(obj: KubeObject, status: NonNullable<StatefulSet['status']>): Promise<void> {
    if (jsonEqual(status, obj['status'])) return;
    await api.update(statefulSets, { ...obj, status }, { subresource: 'status', fieldManager });
  }
}
