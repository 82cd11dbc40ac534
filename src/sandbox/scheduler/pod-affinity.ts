import type { PodAffinityTerm } from '../../api/kubernetes.ts';
import type { NodeView } from './cluster-view.ts';
import { termMatches, type PodRequest } from './pod-request.ts';

export const affinityReason = "node(s) didn't match pod affinity rules";
export const antiAffinityReason = "node(s) didn't match pod anti-affinity rules";
export const existingAntiAffinityReason = "node(s) didn't satisfy existing pods anti-affinity rules";

type Topology = ReadonlySet<string>;

/** Where pods stand that the request must be near to or away from: worked out once for all nodes. */
export interface PodAffinityView {
  reasonAgainst(node: NodeView): string | undefined;
}

export function podAffinityView(request: PodRequest, nodes: readonly NodeView[]): PodAffinityView {
  const { podAffinity, podAntiAffinity } = request.spec.affinity ?? {};
  const near = (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term => ({
    term,
    places: placesOf(request, term, nodes),
  }));
  const away = (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term => ({
    term,
    places: placesOf(request, term, nodes),
  }));
  const guarded = guardedPlaces(request, nodes);
  // The first pod of a group that wants to be near itself finds nobody yet.
  const isFirst = near.every(
    ({ term, places }) => places.size === 0 && termMatches(term, request.namespace, request, request.namespaceLabels),
  );

  return {
    reasonAgainst(node) {
      for (const { term, places } of near) {
        const value = node.labels[term.topologyKey];
        if (value === undefined || (!places.has(value) && !isFirst)) return affinityReason;
      }
      if (away.some(({ term, places }) => places.has(node.labels[term.topologyKey] ?? ''))) return antiAffinityReason;
      for (const [key, values] of guarded) if (values.has(node.labels[key] ?? '')) return existingAntiAffinityReason;
      return undefined;
    },
  };
}

/** Values of the term's topology key where a pod stands that the term means. */
function placesOf(request: PodRequest, term: PodAffinityTerm, nodes: readonly NodeView[]): Topology {
  const places = new Set<string>();
  for (const node of nodes) {
    const value = node.labels[term.topologyKey];
    if (value === undefined || places.has(value)) continue;
    for (const pod of node.pods.values()) {
      if (!termMatches(term, request.namespace, pod, request.namespaceLabels)) continue;
      places.add(value);
      break;
    }
  }
  return places;
}

/** Where pods stand that do not want the request near them. */
function guardedPlaces(request: PodRequest, nodes: readonly NodeView[]): Map<string, Set<string>> {
  const guarded = new Map<string, Set<string>>();
  for (const node of nodes)
    for (const pod of node.pods.values())
      for (const term of pod.antiAffinity) {
        const value = node.labels[term.topologyKey];
        if (value === undefined || !termMatches(term, pod.namespace, request, request.namespaceLabels)) continue;
        const values = guarded.get(term.topologyKey) ?? new Set();
        guarded.set(term.topologyKey, values.add(value));
      }
  return guarded;
}

/** How much each node is liked for who stands near it, by name. */
export function podAffinityScores(request: PodRequest, nodes: readonly NodeView[]): Map<string, number> {
  const { podAffinity, podAntiAffinity } = request.spec.affinity ?? {};
  const wishes = [
    ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm: term, weight }) => ({ term, weight })),
    ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm: term, weight }) => ({
      term,
      weight: -weight,
    })),
  ];
  const likes = new Map<string, number>();
  const like = (key: string, value: string | undefined, weight: number) => {
    if (value !== undefined) likes.set(`${key}\0${value}`, (likes.get(`${key}\0${value}`) ?? 0) + weight);
  };
  for (const node of nodes)
    for (const pod of node.pods.values()) {
      for (const { term, weight } of wishes)
        if (termMatches(term, request.namespace, pod, request.namespaceLabels))
          like(term.topologyKey, node.labels[term.topologyKey], weight);
      for (const { term, weight } of pod.attracts)
        if (termMatches(term, pod.namespace, request, request.namespaceLabels))
          like(term.topologyKey, node.labels[term.topologyKey], weight);
    }
  if (likes.size === 0) return new Map();
  const keys = new Set([...likes.keys()].map(like => like.split('\0')[0]!));
  const total = (node: NodeView) => [...keys].reduce((sum, key) => sum + (likes.get(`${key}\0${node.labels[key]}`) ?? 0), 0);
  return new Map(nodes.map(node => [node.name, total(node)]));
}
