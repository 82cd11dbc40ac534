import type { Node, Taint, Toleration } from '../../api/kubernetes.ts';
import { setPodCondition } from '../../apiserver/builtin/workloads/pod-conditions.ts';
import type { Outcome } from '../../runtime/work-queue.ts';
import { cloneJson } from '../../util/json.ts';
import { tolerates } from '../scheduler/node-matching.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import type { StoredPod } from './pod-state.ts';
import { asObject, asStored, isDeleting, targetOf, type Stored } from './stored-object.ts';
import { fieldManager, nodes, pods } from './workload-resources.ts';
import { unlessGone } from './write-errors.ts';

/**
 * How long pods with these tolerations may stay beside these taints, in seconds: Infinity when all are tolerated for ever, and 0 when one is
 * not tolerated at all.
 */
export function toleratedSeconds(tolerations: readonly Toleration[], taints: readonly Taint[]): number {
  let least = Infinity;
  for (const taint of taints) {
    const matching = tolerations.filter(toleration => tolerates(toleration, taint));
    if (matching.length === 0) return 0;
    for (const { tolerationSeconds } of matching)
      if (tolerationSeconds !== undefined) least = Math.min(least, Math.max(0, tolerationSeconds));
  }
  return least;
}

/** Deletes pods from nodes with NoExecute taints, as soon as they do not tolerate them any longer. */
export const taintEviction: ControllerDefinition = {
  name: 'taint-eviction',
  reconciles: [nodes],
  watches: [pods],
  start(ctx) {
    const { api } = ctx;
    const recorder = ctx.recorder('taint-eviction-controller');
    const queue = ctx.queue({ reconcile });
    for (const node of api.peekAll(nodes)) if (executing(asStored<Node>(node)).length > 0) queue.add(node.metadata.name ?? '');

    return {
      observe({ type, resource, obj }) {
        const isNode = resource.resource === nodes.resource;
        const name = isNode ? obj.metadata.name : (asStored(obj) as StoredPod).spec.nodeName;
        if (type === 'DELETED' || !name) return;
        const node = isNode ? obj : api.peek(nodes, '', name);
        if (node && executing(asStored<Node>(node)).length > 0) queue.add(name);
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(name: string): Promise<Outcome> {
      const node = api.peek(nodes, '', name);
      const taints = node ? executing(asStored<Node>(node)) : [];
      if (taints.length === 0) return;
      const now = ctx.now().getTime();
      const since = Math.max(...taints.map(({ timeAdded }) => (timeAdded === undefined ? 0 : Date.parse(timeAdded))));
      let next = Infinity;
      for (const obj of api.peekAll(pods)) {
        const pod = asStored(obj) as StoredPod;
        if (pod.spec.nodeName !== name || isDeleting(pod)) continue;
        const dueAt = since + toleratedSeconds(pod.spec.tolerations ?? [], taints) * 1000;
        if (dueAt > now) next = Math.min(next, dueAt);
        else await evict(pod);
      }
      if (Number.isFinite(next)) return { requeueAfterMs: next - now };
    }

    async function evict(pod: StoredPod): Promise<void> {
      recorder.record(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${pod.metadata.namespace}/${pod.metadata.name}`);
      const leaving = cloneJson(pod);
      const message = 'Taint manager: deleting due to NoExecute taint';
      setPodCondition(
        (leaving.status ??= {}),
        { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager', message },
        ctx.now(),
      );
      await unlessGone(api.update(pods, asObject(leaving), { subresource: 'status', fieldManager }));
      await unlessGone(api.delete(pods, targetOf(pod), { preconditions: { uid: pod.metadata.uid } }));
    }
  },
};

const executing = ({ spec }: Stored<Node>): Taint[] => (spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
