import type { Node, Pod, PodDisruptionBudget } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import { setPodCondition } from '../../apiserver/builtin/workloads/pod-conditions.ts';
import { bindPod } from '../../apiserver/builtin/workloads/pod-subresources.ts';
import type { Change, ClusterApi } from '../../apiserver/cluster-api.ts';
import { selectorMatches } from '../../apiserver/validation/label-selector.ts';
import { cloneJson, jsonEqual } from '../../util/json.ts';
import type { ControllerContext, ControllerDefinition, FedController } from '../controllers/controller-definition.ts';
import { isFinished } from '../controllers/pod-state.ts';
import { asObject, asStored, isDeleting, keyOf, splitKey, targetOf, type Stored } from '../controllers/stored-object.ts';
import { storageClasses, volumes } from '../controllers/volume/volume-resources.ts';
import { claims, disruptionBudgets, nodes, pods } from '../controllers/workload-resources.ts';
import { unlessGone } from '../controllers/write-errors.ts';
import { chooseNode } from './choose-node.ts';
import { ClusterView, placedPod, withPods, type NodeView, type PlacedPod } from './cluster-view.ts';
import { podRequest, type PodRequest } from './pod-request.ts';
import type { BudgetView, Preemption } from './preemption.ts';
import { volumeNeedsOf } from './volume-needs.ts';

const name = 'default-scheduler';
const fieldManager = 'kube-scheduler';
const namespaces = { group: '', resource: 'namespaces' };

/** Plays kube-scheduler: pods without a node get one, or are told why not. */
export const scheduler: ControllerDefinition = {
  name: 'scheduler',
  reconciles: [pods],
  watches: [nodes, claims, volumes, storageClasses],
  start: ctx => startScheduler(ctx),
};

function startScheduler(ctx: ControllerContext): FedController {
  const { api } = ctx;
  const view = new ClusterView();
  /** Pods that no node would take, by key, with what orders them. */
  const waiting = new Map<string, number>();
  /** Pods for which room is being made. */
  const nominated = new Map<string, PlacedPod>();
  const recorder = ctx.recorder(name);
  // One pod at a time: each decision must see the one before.
  const queue = ctx.queue({ reconcile, concurrency: 1, maxDelayMs: 10_000 });

  for (const node of api.peekAll(nodes)) view.setNode(asStored<Node>(node));
  for (const pod of api.peekAll(pods)) observePod(undefined, asStored<Pod>(pod));

  return { observe, idle: () => queue.idle(), [Symbol.dispose]: () => queue[Symbol.dispose]() };

  function observe({ type, resource, obj, old, name: changed }: Change): void {
    if (resource.resource === pods.resource) {
      if (type !== 'DELETED') return observePod(old, asStored<Pod>(obj));
      forget(keyOf(obj));
      return retryWaiting();
    }
    if (resource.resource === nodes.resource) {
      if (type === 'DELETED') view.removeNode(changed);
      else view.setNode(asStored<Node>(obj));
      if (old && type === 'MODIFIED' && !isNodeNews(obj, old)) return;
    }
    retryWaiting();
  }

  function observePod(old: KubeObject | undefined, pod: Stored<Pod>): void {
    view.setPod(pod);
    if (isSchedulable(pod)) {
      const isRefused = old !== undefined && waiting.has(keyOf(pod));
      if (!isRefused || isPodNews(pod, asStored<Pod>(old))) queue.add(keyOf(pod));
      return;
    }
    waiting.delete(keyOf(pod));
    if (pod.spec.nodeName) nominated.delete(keyOf(pod));
    if (isFinished(pod) && old && !isFinished(asStored<Pod>(old))) retryWaiting();
  }

  function forget(key: string): void {
    view.removePod(key);
    waiting.delete(key);
    nominated.delete(key);
  }

  function retryWaiting(): void {
    if (waiting.size === 0) return;
    const byPriority = [...waiting].toSorted(([, a], [, b]) => b - a);
    waiting.clear();
    for (const [key] of byPriority) queue.add(key);
  }

  async function reconcile(key: string): Promise<void> {
    const { namespace, name: podName } = splitKey(key);
    const obj = api.peek(pods, namespace, podName);
    if (!obj) return forget(key);
    const pod = asStored<Pod>(obj);
    if (!isSchedulable(pod)) return;

    const request = podRequest(pod, volumeNeedsOf(pod, api), labelsOf(api));
    const choice = chooseNode(request, {
      nodes: nodesFor(request),
      budgets: budgetsOf(api),
      nominatedNode: pod.status?.nominatedNodeName,
    });
    if (choice.node !== undefined) {
      if (request.volumes.waitingClaims.length === 0) return bind(obj, choice.node);
      waiting.set(key, request.priority);
      return selectNode(request, choice.node);
    }
    waiting.set(key, request.priority);
    await refuse(pod, choice.message, choice.preemption);
    if (choice.preemption) await preempt(pod, choice.preemption);
  }

  /** Room that was made for a more important pod counts as taken. */
  function nodesFor(request: PodRequest): NodeView[] {
    const reserved = [...nominated.values()].filter(pod => pod.key !== request.key && pod.priority >= request.priority);
    if (reserved.length === 0) return view.nodes();
    return view.nodes().map(node => {
      const coming = reserved.filter(({ nodeName }) => nodeName === node.name);
      return coming.length > 0 ? withPods(node, coming) : node;
    });
  }

  async function bind(obj: KubeObject, node: string): Promise<void> {
    const { namespace = '', name: podName = '', uid = '' } = obj.metadata;
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: podName, namespace, uid },
      target: { kind: 'Node', name: node },
    };
    const bound = bindPod(obj, binding, { now: ctx.now() });
    await unlessGone(api.update(pods, bound, { subresource: 'binding', isAdmitted: true, fieldManager }));
    recorder.record(asStored<Pod>(obj), 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${podName} to ${node}`);
  }

  /** Volumes of these claims are made where the pod will be; the pod is bound once they are. */
  async function selectNode({ volumes: { waitingClaims } }: PodRequest, node: string): Promise<void> {
    const key = 'volume.kubernetes.io/selected-node';
    for (const claim of waitingClaims) {
      if (claim.metadata.annotations?.[key] === node) continue;
      const body = { metadata: { annotations: { [key]: node } } };
      await unlessGone(api.patch(claims, targetOf(claim), { type: 'merge', body }, { fieldManager }));
    }
  }

  async function refuse(pod: Stored<Pod>, message: string, preemption: Preemption | undefined): Promise<void> {
    const status = cloneJson(pod.status ?? {});
    const { generation } = pod.metadata;
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    setPodCondition(status, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, ...observed }, ctx.now());
    if (preemption) status.nominatedNodeName = preemption.node;
    if (!jsonEqual(status, pod.status))
      await unlessGone(api.update(pods, asObject({ ...pod, status }), { subresource: 'status', fieldManager }));
    recorder.record(pod, 'Warning', 'FailedScheduling', message);
  }

  async function preempt(pod: Stored<Pod>, { node, victims }: Preemption): Promise<void> {
    nominated.set(keyOf(pod), placedPod(pod, node));
    const message = `${name}: preempting to accommodate a higher priority pod`;
    for (const { namespace, name: victimName, uid, isDeleting: isGoing } of victims) {
      const obj = api.peek(pods, namespace, victimName);
      if (!obj || isGoing || obj.metadata.uid !== uid) continue;
      const victim = cloneJson(asStored<Pod>(obj));
      setPodCondition(
        (victim.status ??= {}),
        { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message },
        ctx.now(),
      );
      await unlessGone(api.update(pods, asObject(victim), { subresource: 'status', fieldManager }));
      await unlessGone(api.delete(pods, { namespace, name: victimName }, { preconditions: { uid } }));
      recorder.record(victim, 'Normal', 'Preempted', `Preempted by pod ${pod.metadata.uid} on node ${node}`);
    }
  }
}

/** A pod that waits for this scheduler. */
function isSchedulable(pod: Stored<Pod>): boolean {
  const { nodeName = '', schedulerName = name, schedulingGates = [] } = pod.spec;
  return nodeName === '' && schedulerName === name && schedulingGates.length === 0 && !isDeleting(pod) && !isFinished(pod);
}

/** What was written about the refusal itself is no reason to try again. */
const isPodNews = (pod: Stored<Pod>, old: Stored<Pod>) =>
  !jsonEqual(pod.spec, old.spec) || !jsonEqual(pod.metadata.labels, old.metadata.labels);

/** Heartbeats are no news: only what decides about pods is. */
function isNodeNews(obj: KubeObject, old: KubeObject): boolean {
  const [node, before] = [asStored<Node>(obj), asStored<Node>(old)];
  return (
    !jsonEqual(node.metadata.labels, before.metadata.labels) ||
    !jsonEqual(node.spec, before.spec) ||
    !jsonEqual(node.status?.allocatable, before.status?.allocatable)
  );
}

const labelsOf = (api: ClusterApi) => (namespace: string) => api.peek(namespaces, '', namespace)?.metadata.labels ?? {};

function budgetsOf(api: ClusterApi): BudgetView[] {
  if (api.count(disruptionBudgets) === 0) return [];
  return api.peekAll(disruptionBudgets).map(obj => {
    const { metadata, spec, status } = asStored<PodDisruptionBudget>(obj);
    return {
      allowed: status?.disruptionsAllowed ?? 0,
      covers: pod => pod.namespace === metadata.namespace && selectorMatches(spec.selector, pod.labels),
    };
  });
}
