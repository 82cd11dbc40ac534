import type { NodeView } from './cluster-view.ts';
import { matchesNodeSelectorTerm, untoleratedTaint } from './node-matching.ts';
import { podAffinityScores } from './pod-affinity.ts';
import type { PodRequest } from './pod-request.ts';
import { spreadView } from './topology-spread.ts';

/** What a pod that asks for nothing is taken to need, in thousandths, so that such pods are spread too. */
const usual: Readonly<Record<string, number>> = { cpu: 100, memory: 200 * 2 ** 20 * 1000 };
const weights = { taints: 3, affinity: 2, spread: 2, pods: 2, siblings: 2, room: 1 };

/** The best of the nodes that can take the pod. Equal ones: the one with fewer pods, then by name. */
export function bestNode(request: PodRequest, fitting: readonly NodeView[], all: readonly NodeView[]): NodeView | undefined {
  if (fitting.length <= 1) return fitting[0];
  const spread = spreadView(request, all);
  const near = podAffinityScores(request, all);
  const of = (score: (node: NodeView) => number) => normalised(fitting.map(score));
  const taints = of(node => -unlovedTaints(request, node));
  const affinity = of(node => affinityWeight(request, node));
  const crowds = of(node => -spread.crowd(node));
  const pods = of(node => near.get(node.name) ?? 0);
  const siblings = of(node => -siblingsOn(request, node));
  const ranked = fitting.map((node, i) => ({
    node,
    score:
      weights.taints * taints[i]! +
      weights.affinity * affinity[i]! +
      weights.spread * crowds[i]! +
      weights.pods * pods[i]! +
      weights.siblings * siblings[i]! +
      weights.room * freeShare(request, node),
  }));
  ranked.sort((a, b) => b.score - a.score || a.node.pods.size - b.node.pods.size || (a.node.name < b.node.name ? -1 : 1));
  return ranked[0]?.node;
}

/** To a scale from 0 to 100. */
function normalised(scores: readonly number[]): number[] {
  const least = Math.min(...scores);
  const range = Math.max(...scores) - least;
  return scores.map(score => (range === 0 ? 0 : ((score - least) * 100) / range));
}

function unlovedTaints({ spec }: PodRequest, { taints }: NodeView): number {
  return taints.filter(taint => untoleratedTaint(spec.tolerations, [taint], ['PreferNoSchedule'])).length;
}

function affinityWeight({ spec }: PodRequest, node: NodeView): number {
  const wishes = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return wishes.reduce((sum, { preference, weight }) => sum + (matchesNodeSelectorTerm(preference, node) ? weight : 0), 0);
}

/** Pods of one owner are spread over the nodes unless something speaks against it. */
function siblingsOn({ controllerUid }: PodRequest, { pods }: NodeView): number {
  if (controllerUid === undefined) return 0;
  let count = 0;
  for (const pod of pods.values()) if (pod.controllerUid === controllerUid) count++;
  return count;
}

function freeShare({ requests }: PodRequest, node: NodeView): number {
  const shares = Object.keys(usual).map(name => {
    const capacity = node.allocatable[name] ?? 0;
    if (capacity === 0) return 0;
    let used = requests[name] || usual[name]!;
    for (const pod of node.pods.values()) used += pod.requests[name] || usual[name]!;
    return Math.max(0, ((capacity - used) * 100) / capacity);
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
