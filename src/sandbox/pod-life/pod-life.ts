import type { Node, Pod, PodStatus } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Outcome } from '../../runtime/work-queue.ts';
import { jsonEqual } from '../../util/json.ts';
import type { ControllerDefinition } from '../controllers/controller-definition.ts';
import { isFinished } from '../controllers/pod-state.ts';
import { asObject, asStored, isDeleting, keyOf, splitKey, targetOf, type Stored } from '../controllers/stored-object.ts';
import { nodes, pods } from '../controllers/workload-resources.ts';
import { unlessGone } from '../controllers/write-errors.ts';
import { isNodeDown } from '../nodes/node-behavior.ts';
import { nodeView, type NodeView } from '../scheduler/cluster-view.ts';
import { rejectionOf } from './admit-pod.ts';
import { PodAddresses } from './pod-addresses.ts';
import { behaviorOf, endedPodStatus, podStatusAt, rejectedPodStatus, type PodFacts } from './pod-status.ts';
import { newTroubles } from './pod-troubles.ts';

const fieldManager = 'kubelet';

/** Plays the kubelets of all nodes: pods that are bound come to run, and pods that are told to end do. */
export const podLife: ControllerDefinition = {
  name: 'pod-life',
  reconciles: [pods],
  watches: [nodes],
  start(ctx) {
    const { api } = ctx;
    const addresses = new PodAddresses();
    const queue = ctx.queue({ reconcile, concurrency: 16, maxDelayMs: 30_000 });
    const recorder = ctx.recorder('kubelet');
    for (const pod of api.peekAll(pods)) {
      keepAddress(asStored<Pod>(pod));
      if (isOnNode(pod)) queue.add(keyOf(pod));
    }

    return {
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
      observe({ type, resource, obj, old }) {
        if (resource.resource === nodes.resource) {
          const isSame = old !== undefined && isNodeDown(old) === isNodeDown(obj);
          return isSame ? undefined : observeNode(obj.metadata.name ?? '');
        }
        // A pod that has ended still shows its address, but others may have it.
        if (type === 'DELETED' || isFinished(asStored<Pod>(obj))) addresses.give(obj.metadata.uid ?? '');
        if (type === 'DELETED') return;
        if (isOnNode(obj)) queue.add(keyOf(obj));
      },
    };

    function observeNode(name: string): void {
      for (const pod of api.peekAll(pods)) if (asStored<Pod>(pod).spec.nodeName === name) queue.add(keyOf(pod));
    }

    async function reconcile(key: string): Promise<Outcome> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(pods, namespace, name);
      if (!obj || !isOnNode(obj)) return;
      const pod = asStored<Pod>(obj);
      const node = api.peek(nodes, '', pod.spec.nodeName ?? '');
      if (!node || isNodeDown(node)) return;
      if (isDeleting(pod)) return end(pod);

      const now = ctx.now();
      const rejection = isUnjudged(pod) ? rejectionOf(pod, viewOf(asStored<Node>(node))) : undefined;
      if (rejection) {
        const rejected = rejectedPodStatus(pod, rejection, now);
        await unlessGone(writeStatus(pod, rejected));
        return tell(pod, rejected);
      }
      const { status, wakeAt } = podStatusAt(pod, factsOf(pod, asStored<Node>(node)), now);
      if (!jsonEqual(status, pod.status ?? {})) {
        await unlessGone(writeStatus(pod, status));
        tell(pod, status);
      }
      if (wakeAt !== undefined) return { requeueAfterMs: Math.max(0, wakeAt - now.getTime()) };
    }

    function viewOf(node: Stored<Node>): NodeView {
      const present = api.peekAll(pods).map(obj => asStored<Pod>(obj));
      return nodeView(
        node,
        present.filter(pod => pod.spec.nodeName === node.metadata.name && !isFinished(pod) && pod.status?.startTime !== undefined),
      );
    }

    /** Containers that were told to end do so at once, unless they are said to take their time. */
    async function end(pod: Stored<Pod>): Promise<Outcome> {
      const { deletionTimestamp = '', deletionGracePeriodSeconds = 0, uid } = pod.metadata;
      const { terminateAfterMs } = behaviorOf(pod);
      const goneAt = Math.min(
        Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000 + terminateAfterMs,
        Date.parse(deletionTimestamp),
      );
      const waitMs = goneAt - ctx.now().getTime();
      if (waitMs > 0 && deletionGracePeriodSeconds > 0) return { requeueAfterMs: waitMs };

      // Whoever holds the pod with a finalizer wants to know how it ended.
      if (pod.metadata.finalizers?.length) {
        const status = endedPodStatus(pod, ctx.now());
        if (!jsonEqual(status, pod.status ?? {})) await unlessGone(writeStatus(pod, status));
        if (deletionGracePeriodSeconds === 0) return;
      }
      await unlessGone(api.delete(pods, targetOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } }));
    }

    function writeStatus(pod: Stored<Pod>, status: PodStatus): Promise<KubeObject> {
      return api.update(pods, asObject({ ...pod, status }), { subresource: 'status', fieldManager });
    }

    function factsOf(pod: Stored<Pod>, node: Stored<Node>): PodFacts {
      const hostIps = (node.status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
      if (pod.spec.hostNetwork) return { hostIps, podIps: hostIps };
      const present = (pod.status?.podIPs ?? []).map(({ ip }) => ip);
      if (present.length > 0) return { hostIps, podIps: present };
      const taken = addresses.take(pod.metadata.uid, node.spec.podCIDR);
      return { hostIps, podIps: taken === undefined ? [] : [taken] };
    }

    function keepAddress(pod: Stored<Pod>): void {
      const ip = pod.status?.podIP;
      if (ip === undefined || pod.spec.hostNetwork || isFinished(pod)) return;
      const node = api.peek(nodes, '', pod.spec.nodeName ?? '') as unknown as Node | undefined;
      addresses.keep(pod.metadata.uid, node?.spec?.podCIDR, ip);
    }

    function tell(pod: Stored<Pod>, status: PodStatus): void {
      for (const { reason, message, ...where } of newTroubles(pod, status)) recorder.record(pod, 'Warning', reason, message, where);
    }
  },
};

/** A pod that came to its node past the scheduler and has not been started. */
const isUnjudged = ({ status }: Stored<Pod>) =>
  status?.startTime === undefined && status?.phase === 'Pending' && !status.conditions?.some(({ type }) => type === 'PodScheduled');

const isOnNode = (obj: KubeObject) => (asStored<Pod>(obj).spec.nodeName ?? '') !== '';
