import type { DaemonSet, Node, Pod } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Change } from '../../../apiserver/cluster-api.ts';
import { selectorMatches } from '../../../apiserver/validation/label-selector.ts';
import type { Outcome } from '../../../runtime/work-queue.ts';
import { jsonEqual } from '../../../util/json.ts';
import { claimObjects } from '../claim-objects.ts';
import type { ControllerContext, ControllerDefinition, FedController } from '../controller-definition.ts';
import { revisionHistory, revisionLabel } from '../controller-revisions.ts';
import { planDaemons, planRollout, type DaemonPlan, type DaemonState } from './daemon-set-plan.ts';
import { daemonPod, nodeOfDaemon, type StoredDaemonSet } from './daemon-set-pods.ts';
import { expiredRevisions, settleRevision } from './daemon-set-revisions.ts';
import { daemonSetStatus } from './daemon-set-status.ts';
import { FailureBackoff } from './failure-backoff.ts';
import { ownersOfChange } from '../owners-of-change.ts';
import { inGrowingBatches, podControl } from '../pod-control.ts';
import { isFinished, nextAvailableInMs, type StoredPod } from '../pod-state.ts';
import { asObject, asStored, isDeleting, keyOf, splitKey } from '../stored-object.ts';
import { controllerRevisions, daemonSets, fieldManager, nodes, pods } from '../workload-resources.ts';
import { isNamespaceTerminating } from '../write-errors.ts';

/** Pods created or deleted in one go. */
const burst = 250;

export const daemonSetController: ControllerDefinition = {
  name: 'daemon-set',
  reconciles: [daemonSets],
  watches: [pods, nodes, controllerRevisions],
  start: startDaemonSetController,
};

/** Keeps one pod on every node that should have one. */
function startDaemonSetController(ctx: ControllerContext): FedController {
  const { api } = ctx;
  const recorder = ctx.recorder('daemonset-controller');
  const control = podControl(api, recorder);
  const history = revisionHistory(ctx, daemonSets);
  const backoff = new FailureBackoff();
  const queue = ctx.queue({ reconcile });
  enqueueAll();

  return {
    observe(change) {
      if (change.resource.resource === daemonSets.resource) queue.add(`${change.namespace}/${change.name}`);
      else if (change.resource.resource === nodes.resource) observeNode(change);
      else if (change.resource.resource === pods.resource)
        for (const key of ownersOfChange(api, daemonSets, change, selects)) queue.add(key);
    },
    idle: () => queue.idle(),
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };

  function enqueueAll(): void {
    for (const obj of api.peekAll(daemonSets)) queue.add(keyOf(obj));
  }

  function observeNode({ type, obj, old }: Change): void {
    const taints = (node: KubeObject) => asStored<Node>(node).spec.taints;
    const isSame = old && jsonEqual(obj.metadata.labels, old.metadata.labels) && jsonEqual(taints(obj), taints(old));
    if (type !== 'MODIFIED' || !isSame) enqueueAll();
  }

  function selects(owner: KubeObject, pod: KubeObject): boolean {
    return selectorMatches(asStored<DaemonSet>(owner).spec.selector, pod.metadata.labels);
  }

  async function reconcile(key: string): Promise<Outcome> {
    const { namespace, name } = splitKey(key);
    const obj = api.peek(daemonSets, namespace, name);
    if (!obj || isDeleting(obj)) return;
    const stored = asStored<DaemonSet>(obj);
    const { hash, older, collisionCount } = await settleRevision(stored, await history.claim(stored), history);
    const set = withCollisionCount(stored, collisionCount);

    let waitMs = Number.POSITIVE_INFINITY;
    let failure: unknown;
    try {
      const state = await observeState(set, hash);
      await carryOut(
        state,
        planDaemons(state, (pod, node) => {
          const left = judgeEnded(set, pod, node, state.now);
          waitMs = Math.min(waitMs, left || Number.POSITIVE_INFINITY);
          return left === 0;
        }),
      );
      if (set.spec.updateStrategy?.type === 'RollingUpdate') {
        const next = await observeState(set, hash);
        await carryOut(next, planRollout(next));
      }
      await history.delete(expiredRevisions(set, older, liveHashes(set)));
    } catch (error) {
      failure = error;
    }
    const state = await observeState(set, hash);
    await report(obj, daemonSetStatus(state));
    if (failure !== undefined) throw failure;

    const daemons = [...state.podsByNode.values()].flat();
    waitMs = Math.min(waitMs, nextAvailableInMs(daemons, set.spec.minReadySeconds ?? 0, state.now) ?? Number.POSITIVE_INFINITY);
    return Number.isFinite(waitMs) ? { requeueAfterMs: waitMs } : undefined;
  }

  async function observeState(set: StoredDaemonSet, hash: string): Promise<DaemonState> {
    const { namespace = '', uid } = set.metadata;
    const candidates = [...ctx.pods.of(namespace, uid), ...ctx.pods.orphans(namespace)].map(pod => asStored<Pod>(pod));
    const matches = (pod: StoredPod) => selectorMatches(set.spec.selector, pod.metadata.labels);
    const own = await claimObjects(api, { resource: pods, owner: set, ownerResource: daemonSets, candidates, matches });
    const podsByNode = new Map<string, StoredPod[]>();
    for (const pod of own) {
      const node = nodeOfDaemon(pod);
      if (node === undefined || (isFinished(pod) && isDeleting(pod))) continue;
      const others = podsByNode.get(node);
      if (others) others.push(pod);
      else podsByNode.set(node, [pod]);
    }
    return { set, nodes: api.peekAll(nodes).map(node => asStored<Node>(node)), podsByNode, hash, now: ctx.now() };
  }

  /** How long a daemon that ended is left alone, in milliseconds; at 0 it is replaced. */
  function judgeEnded(set: StoredDaemonSet, pod: StoredPod, node: string, now: Date): number {
    const { namespace, name } = pod.metadata;
    if (pod.status?.phase === 'Succeeded') {
      const message = `Found succeeded daemon pod ${namespace}/${name} on node ${node}, will try to delete it`;
      recorder.record(set, 'Normal', 'SucceededDaemonPod', message);
      return 0;
    }
    const key = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`;
    const left = backoff.leftMs(key, now);
    if (left > 0) return left;
    backoff.next(key, now);
    const message = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`;
    recorder.record(set, 'Warning', 'FailedDaemonPod', message);
    return 0;
  }

  async function carryOut({ set, hash }: DaemonState, plan: DaemonPlan): Promise<void> {
    const create = plan.create.slice(0, burst);
    const creations = inGrowingBatches(create.length, async i => {
      try {
        await control.create(set, daemonPod(set, create[i] ?? '', hash));
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
      }
    });
    const deletions = plan.delete.slice(0, burst).map(pod => control.delete(set, pod));
    const results = await Promise.allSettled([creations, ...deletions]);
    const failed = results.find(result => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  function liveHashes({ metadata }: StoredDaemonSet): Set<string> {
    return new Set(ctx.pods.of(metadata.namespace ?? '', metadata.uid).map(pod => pod.metadata.labels?.[revisionLabel] ?? ''));
  }

  async function report(obj: KubeObject, status: NonNullable<DaemonSet['status']>): Promise<void> {
    if (jsonEqual(status, obj['status'])) return;
    await api.update(daemonSets, asObject({ ...obj, status }), { subresource: 'status', fieldManager });
  }
}

function withCollisionCount(set: StoredDaemonSet, collisionCount: number | undefined): StoredDaemonSet {
  if (collisionCount === undefined || !set.status) return set;
  return { ...set, status: { ...set.status, collisionCount } };
}
