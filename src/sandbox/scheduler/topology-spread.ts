import type { TopologySpreadConstraint } from '../../api/kubernetes.ts';
import { selectorMatches } from '../../apiserver/validation/label-selector.ts';
import type { NodeView } from './cluster-view.ts';
import { matchesNodeAffinity, untoleratedTaint } from './node-matching.ts';
import type { PodRequest } from './pod-request.ts';

const mismatch = "node(s) didn't match pod topology spread constraints";
const missingLabel = `${mismatch} (missing required label)`;

interface Spread {
  readonly constraint: TopologySpreadConstraint;
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
  readonly isSelf: boolean;
}

/** How the pods that a request counts among its own are spread, per constraint: worked out once for all nodes. */
export interface SpreadView {
  reasonAgainst(node: NodeView): { reason: string; isFinal: boolean } | undefined;
  /** Pods too many in the node's place, over all constraints that are only wishes. */
  crowd(node: NodeView): number;
}

export function spreadView(request: PodRequest, nodes: readonly NodeView[]): SpreadView {
  const constraints = request.spec.topologySpreadConstraints ?? [];
  const isHard = ({ whenUnsatisfiable }: TopologySpreadConstraint) => whenUnsatisfiable === 'DoNotSchedule';
  const hard = spreadsOf(request, nodes, constraints.filter(isHard));
  const soft = spreadsOf(
    request,
    nodes,
    constraints.filter(constraint => !isHard(constraint)),
  );

  return {
    reasonAgainst(node) {
      for (const { constraint, counts, least, isSelf } of hard) {
        const value = node.labels[constraint.topologyKey];
        if (value === undefined) return { reason: missingLabel, isFinal: true };
        const skew = (counts.get(value) ?? 0) + (isSelf ? 1 : 0) - least;
        if (skew > constraint.maxSkew) return { reason: mismatch, isFinal: false };
      }
      return undefined;
    },
    crowd: node =>
      soft.reduce((sum, { constraint, counts, least }) => sum + (counts.get(node.labels[constraint.topologyKey] ?? '') ?? 0) - least, 0),
  };
}

function spreadsOf(request: PodRequest, nodes: readonly NodeView[], constraints: readonly TopologySpreadConstraint[]): Spread[] {
  return constraints.map(constraint => {
    const eligible = nodes.filter(node => isEligible(request, node, constraint, constraints));
    const counts = new Map<string, number>();
    for (const node of eligible) {
      const value = node.labels[constraint.topologyKey]!;
      counts.set(value, (counts.get(value) ?? 0) + matching(request, node, constraint));
    }
    const isShort = counts.size < (constraint.minDomains ?? 1);
    const least = counts.size === 0 || isShort ? 0 : Math.min(...counts.values());
    return { constraint, counts, least, isSelf: selectorMatches(constraint.labelSelector, request.labels) };
  });
}

/** Nodes that could not take the pod anyway do not count as places. */
function isEligible(
  { spec }: PodRequest,
  node: NodeView,
  constraint: TopologySpreadConstraint,
  all: readonly TopologySpreadConstraint[],
): boolean {
  if (all.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
  if (constraint.nodeAffinityPolicy !== 'Ignore' && !matchesNodeAffinity(spec, node)) return false;
  return constraint.nodeTaintsPolicy !== 'Honor' || !untoleratedTaint(spec.tolerations, node.taints, ['NoSchedule', 'NoExecute']);
}

function matching(request: PodRequest, node: NodeView, { labelSelector }: TopologySpreadConstraint): number {
  let count = 0;
  for (const pod of node.pods.values())
    if (!pod.isDeleting && pod.namespace === request.namespace && selectorMatches(labelSelector, pod.labels)) count++;
  return count;
}
