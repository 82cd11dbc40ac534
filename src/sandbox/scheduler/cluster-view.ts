import type { Node, Pod, PodAffinityTerm, PodSpec } from '../../api/kubernetes.ts';
import { podAmounts, readAmounts, type Amounts } from '../../api/pod-amounts.ts';
import { isFinished } from '../controllers/pod-state.ts';
import { controllerOf, isDeleting, keyOf, type Stored } from '../controllers/stored-object.ts';
import type { NodeTraits } from './node-matching.ts';

/** Thousandths of the resource's unit, so that sums stay whole. */
export type Thousandths = Readonly<Record<string, number>>;

/** What the scheduler remembers of a pod that has a node. */
export interface PlacedPod {
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly controllerUid: string | undefined;
  readonly priority: number;
  readonly startedAt: number;
  readonly isDeleting: boolean;
  readonly requests: Thousandths;
  readonly ports: readonly string[];
  readonly antiAffinity: readonly PodAffinityTerm[];
  /** What of it pulls other pods near, required and preferred. */
  readonly attracts: readonly { readonly term: PodAffinityTerm; readonly weight: number }[];
}

export interface NodeView extends NodeTraits {
  readonly isUnschedulable: boolean;
  readonly allocatable: Thousandths;
  readonly pods: ReadonlyMap<string, PlacedPod>;
  readonly requested: Thousandths;
}

interface MutableNode extends NodeView {
  readonly pods: Map<string, PlacedPod>;
  requested: Record<string, number>;
}

/** All nodes and what stands on them, kept current by the changes it hears. */
export class ClusterView {
  readonly #nodes = new Map<string, MutableNode>();
  /** Pods on nodes that are not there (yet). */
  readonly #placed = new Map<string, PlacedPod>();

  nodes(): NodeView[] {
    return [...this.#nodes.values()];
  }

  setNode(node: Stored<Node>): void {
    const { name } = node.metadata;
    const old = this.#nodes.get(name);
    const pods = old?.pods ?? new Map([...this.#placed].filter(([, pod]) => pod.nodeName === name));
    this.#nodes.set(name, { ...traitsOf(node), pods, requested: old?.requested ?? sum([...pods.values()]) });
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
  }

  setPod(pod: Stored<Pod>): void {
    const key = keyOf(pod);
    this.removePod(key);
    if (!pod.spec.nodeName || isFinished(pod)) return;
    const placed = placedPod(pod);
    this.#placed.set(key, placed);
    const node = this.#nodes.get(placed.nodeName);
    if (!node) return;
    node.pods.set(key, placed);
    add(node.requested, placed.requests, 1);
  }

  removePod(key: string): void {
    const placed = this.#placed.get(key);
    if (!placed) return;
    this.#placed.delete(key);
    const node = this.#nodes.get(placed.nodeName);
    if (!node?.pods.delete(key)) return;
    add(node.requested, placed.requests, -1);
  }
}

/** A node and the pods that stand on it. */
export function nodeView(node: Stored<Node>, pods: readonly Stored<Pod>[]): NodeView {
  const placed = pods.map(pod => placedPod(pod));
  return { ...traitsOf(node), pods: new Map(placed.map(pod => [pod.key, pod])), requested: sum(placed) };
}

function traitsOf({ metadata, spec, status }: Stored<Node>): Omit<NodeView, 'pods' | 'requested'> {
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    taints: spec.taints ?? [],
    isUnschedulable: spec.unschedulable === true,
    allocatable: thousandths(readAmounts(status?.allocatable)),
  };
}

/** The node as it would be without some of its pods. */
export function withoutPods(node: NodeView, keys: ReadonlySet<string>): NodeView {
  const pods = new Map([...node.pods].filter(([key]) => !keys.has(key)));
  return { ...node, pods, requested: sum([...pods.values()]) };
}

/** The node as it would be with more pods. */
export function withPods(node: NodeView, more: readonly PlacedPod[]): NodeView {
  const pods = new Map([...node.pods, ...more.map(pod => [pod.key, pod] as const)]);
  return { ...node, pods, requested: sum([...pods.values()]) };
}

export function requestsOf(spec: PodSpec): Thousandths {
  return thousandths(podAmounts(spec, 'requests', { withOverhead: true }));
}

export function hostPortsOf({ containers = [], initContainers = [] }: PodSpec): string[] {
  const holders = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')];
  return holders.flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort, protocol = 'TCP', hostIP = '' }) => `${protocol}/${hostPort}/${hostIP}`),
  );
}

export function placedPod(pod: Stored<Pod>, nodeName = pod.spec.nodeName ?? ''): PlacedPod {
  const { metadata, spec, status } = pod;
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const required = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const repelled = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    key: keyOf(pod),
    uid: metadata.uid,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    nodeName,
    labels: metadata.labels ?? {},
    controllerUid: controllerOf(pod)?.uid,
    priority: spec.priority ?? 0,
    startedAt: Date.parse(status?.startTime ?? metadata.creationTimestamp),
    isDeleting: isDeleting(pod),
    requests: requestsOf(spec),
    ports: hostPortsOf(spec),
    antiAffinity: podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    attracts: [
      ...required.map(term => ({ term, weight: 1 })),
      ...preferred.map(({ podAffinityTerm: term, weight }) => ({ term, weight })),
      ...repelled.map(({ podAffinityTerm: term, weight }) => ({ term, weight: -weight })),
    ],
  };
}

function thousandths(amounts: Amounts): Record<string, number> {
  const result: Record<string, number> = {};
  for (const [name, { value, scale }] of amounts) result[name] = Math.ceil(Number(value) * 10 ** (scale + 3));
  return result;
}

function sum(pods: readonly PlacedPod[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const { requests } of pods) add(total, requests, 1);
  return total;
}

function add(total: Record<string, number>, amounts: Thousandths, sign: 1 | -1): void {
  for (const name in amounts) total[name] = (total[name] ?? 0) + sign * amounts[name]!;
}
