import type { Pod } from '../../api/kubernetes.ts';
import type { Stored } from '../controllers/stored-object.ts';
import { hostPortsOf, requestsOf, type NodeView } from '../scheduler/cluster-view.ts';
import { portsConflict } from '../scheduler/filter-nodes.ts';
import { matchesNodeAffinity, untoleratedTaint } from '../scheduler/node-matching.ts';

export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/**
 * Why a kubelet refuses a pod that was put on its node past the scheduler. One that the scheduler has bound was judged there; what else
 * stands on the node is passed as `node.pods`.
 */
export function rejectionOf({ spec, metadata }: Stored<Pod>, node: NodeView): Rejection | undefined {
  const predicate = (name: string, why: string) => ({ reason: name, message: `Pod was rejected: Predicate ${name} failed: ${why}` });
  if (!matchesNodeAffinity(spec, node)) return predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (untoleratedTaint(spec.tolerations, node.taints, ['NoExecute']))
    return predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  const others = [...node.pods.values()].filter(({ uid }) => uid !== metadata.uid);
  const taken = others.flatMap(({ ports }) => ports);
  if (hostPortsOf(spec).some(port => taken.some(other => portsConflict(port, other))))
    return predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  return lackOf(requestsOf(spec), node.allocatable, others);
}

function lackOf(
  requests: NodeView['requested'],
  capacity: NodeView['allocatable'],
  others: readonly { requests: NodeView['requested'] }[],
): Rejection | undefined {
  const podLimit = capacity['pods'];
  if (podLimit !== undefined && (others.length + 1) * 1000 > podLimit) return outOf('pods', 1000, others.length * 1000, podLimit);
  for (const name in requests) {
    const used = others.reduce((sum, other) => sum + (other.requests[name] ?? 0), 0);
    const limit = capacity[name] ?? 0;
    if (requests[name]! > 0 && used + requests[name]! > limit) return outOf(name, requests[name]!, used, limit);
  }
  return undefined;
}

/** The kubelet counts cpu in thousandths and everything else in units. */
function outOf(name: string, requested: number, used: number, capacity: number): Rejection {
  const [r, u, c] = [requested, used, capacity].map(amount => (name === 'cpu' ? amount : Math.floor(amount / 1000)));
  return {
    reason: `OutOf${name}`,
    message: `Pod was rejected: Node didn't have enough resource: ${name}, requested: ${r}, used: ${u}, capacity: ${c}`,
  };
}
