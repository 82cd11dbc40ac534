import type { Node, NodeStatus, Pod } from '../../api/kubernetes.ts';
import { jsonEqual } from '../../util/json.ts';
import { timestamp } from '../../util/timestamp.ts';
import type { ControllerDefinition } from '../controllers/controller-definition.ts';
import { asObject, asStored, type Stored } from '../controllers/stored-object.ts';
import { fieldManager, nodes, pods } from '../controllers/workload-resources.ts';
import { unlessGone } from '../controllers/write-errors.ts';
import { isNodeDown } from './node-behavior.ts';
import { hasNodeLease, renewNodeLease } from './node-lease.ts';
import { taintsFor } from './node-taints.ts';
import { nodeAddress, nodeStatus, silentConditions } from './sandbox-node.ts';

/**
 * Plays the node half of the kubelet and of the node lifecycle controller: nodes are healthy from the moment they appear until somebody says
 * otherwise, and wear the taints that follow. Nothing ticks: leases and heartbeats are written when something changes and only then.
 */
export const nodeLife: ControllerDefinition = {
  name: 'node-life',
  reconciles: [nodes],
  start(ctx) {
    const { api } = ctx;
    const queue = ctx.queue({ reconcile, concurrency: 1 });
    const recorder = ctx.recorder('node-controller');
    for (const node of api.peekAll(nodes)) queue.add(node.metadata.name ?? '');

    return {
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
      observe({ type, name }) {
        if (type !== 'DELETED') queue.add(name);
      },
    };

    async function reconcile(name: string): Promise<void> {
      const obj = api.peek(nodes, '', name);
      if (!obj) return;
      let node = asStored<Node>(obj);
      const status = statusOf(node);
      if (!jsonEqual(status, node.status ?? {})) {
        const written = await unlessGone(
          api.update(nodes, asObject({ ...node, status }), { subresource: 'status', fieldManager: 'kubelet' }),
        );
        if (!written) return;
        node = asStored<Node>(written);
        if (!isNodeDown(node)) await renewNodeLease(api, node, ctx.now());
      } else if (!hasNodeLease(api, name)) await renewNodeLease(api, node, ctx.now());
      const taints = taintsFor(node as Node, ctx.now());
      if (taints) await unlessGone(api.update(nodes, asObject({ ...node, spec: { ...node.spec, taints } }), { fieldManager }));
      if (isNodeDown(node)) await markPodsNotReady(node);
    }

    function statusOf(node: Stored<Node>): NodeStatus {
      const now = ctx.now();
      const status = nodeStatus(node as Node, { address: freeAddress(node), now });
      return isNodeDown(node) ? { ...status, conditions: silentConditions(node.status?.conditions ?? [], now) } : status;
    }

    function freeAddress({ status }: Stored<Node>): string {
      if (status?.addresses?.length) return '';
      const taken = new Set(api.peekAll(nodes).flatMap(other => (asStored<Node>(other).status?.addresses ?? []).map(a => a.address)));
      let n = 0;
      while (taken.has(nodeAddress(n))) n++;
      return nodeAddress(n);
    }

    async function markPodsNotReady({ metadata }: Stored<Node>): Promise<void> {
      for (const obj of api.peekAll(pods)) {
        const pod = asStored<Pod>(obj);
        const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
        if (pod.spec.nodeName !== metadata.name || ready?.status !== 'True') continue;
        const lastTransitionTime = timestamp(ctx.now());
        const conditions = pod.status!.conditions!.map(c => (c === ready ? { ...c, status: 'False', lastTransitionTime } : c));
        await unlessGone(
          api.update(pods, asObject({ ...pod, status: { ...pod.status, conditions } }), { subresource: 'status', fieldManager }),
        );
        recorder.record(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
      }
    }
  },
};
