import type { NodeView } from './cluster-view.ts';
import { matchesNodeAffinity, matchesNodeSelectorTerms, tolerates, untoleratedTaint } from './node-matching.ts';
import { podAffinityView } from './pod-affinity.ts';
import type { PodRequest } from './pod-request.ts';
import { spreadView } from './topology-spread.ts';

/** Why a node cannot take a pod, in the words of the real scheduler. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** Taking other pods away would not help. */
  readonly isFinal: boolean;
}

const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** A question to every node: what, if anything, speaks against the pod there. Nodes are all those of the cluster. */
export function nodeFilter(request: PodRequest, nodes: readonly NodeView[]): (node: NodeView) => Refusal | undefined {
  const affinity = podAffinityView(request, nodes);
  const spread = spreadView(request, nodes);
  return node => {
    const final = finalReason(request, node);
    if (final !== undefined) return { reasons: [final], isFinal: true };
    if (hasPortConflict(request, node)) return { reasons: ["node(s) didn't have free ports for the requested pod ports"], isFinal: false };
    const lacking = lackingResources(request, node);
    if (lacking) return lacking;
    if (request.volumes.isVolumeMissing) return { reasons: ["node(s) didn't find available persistent volumes to bind"], isFinal: true };
    if (!request.volumes.reachableFrom.every(terms => matchesNodeSelectorTerms(terms, node)))
      return { reasons: ["node(s) didn't match PersistentVolume's node affinity"], isFinal: true };
    const crowded = spread.reasonAgainst(node);
    if (crowded) return { reasons: [crowded.reason], isFinal: crowded.isFinal };
    const unwanted = affinity.reasonAgainst(node);
    return unwanted === undefined ? undefined : { reasons: [unwanted], isFinal: unwanted.includes('pod affinity rules') };
  };
}

function finalReason({ spec }: PodRequest, node: NodeView): string | undefined {
  if (node.isUnschedulable && !(spec.tolerations ?? []).some(one => tolerates(one, unschedulableTaint)))
    return 'node(s) were unschedulable';
  if (spec.nodeName && spec.nodeName !== node.name) return "node(s) didn't match the requested node name";
  if (untoleratedTaint(spec.tolerations, node.taints, ['NoSchedule', 'NoExecute'])) return 'node(s) had untolerated taint(s)';
  if (!matchesNodeAffinity(spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  return undefined;
}

function hasPortConflict({ ports }: PodRequest, node: NodeView): boolean {
  if (ports.length === 0) return false;
  const taken = [...node.pods.values()].flatMap(pod => pod.ports);
  return ports.some(port => taken.some(other => portsConflict(port, other)));
}

const isAnyAddress = (ip: string) => ip === '' || ip === '0.0.0.0' || ip === '::';

export function portsConflict(a: string, b: string): boolean {
  const [protocolA, portA, ipA = ''] = a.split('/');
  const [protocolB, portB, ipB = ''] = b.split('/');
  return protocolA === protocolB && portA === portB && (ipA === ipB || isAnyAddress(ipA) || isAnyAddress(ipB));
}

function lackingResources({ requests }: PodRequest, node: NodeView): Refusal | undefined {
  const reasons: string[] = [];
  let isFinal = false;
  const podLimit = node.allocatable['pods'];
  if (podLimit !== undefined && (node.pods.size + 1) * 1000 > podLimit) reasons.push('Too many pods');
  for (const name in requests) {
    const wanted = requests[name]!;
    const capacity = node.allocatable[name] ?? 0;
    if (wanted === 0 || wanted <= capacity - (node.requested[name] ?? 0)) continue;
    reasons.push(`Insufficient ${name}`);
    if (wanted > capacity) isFinal = true;
  }
  return reasons.length === 0 ? undefined : { reasons, isFinal };
}
