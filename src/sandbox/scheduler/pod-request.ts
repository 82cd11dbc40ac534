import type { Pod, PodAffinityTerm, PodSpec } from '../../api/kubernetes.ts';
import { selectorMatches } from '../../apiserver/validation/label-selector.ts';
import { controllerOf, keyOf, type Stored } from '../controllers/stored-object.ts';
import { hostPortsOf, requestsOf, type PlacedPod, type Thousandths } from './cluster-view.ts';
import type { VolumeNeeds } from './volume-needs.ts';

/** A pod that wants a node, with everything that is asked of each node worked out once. */
export interface PodRequest {
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly controllerUid: string | undefined;
  readonly priority: number;
  readonly spec: PodSpec;
  readonly requests: Thousandths;
  readonly ports: readonly string[];
  readonly volumes: VolumeNeeds;
  /** The labels of a namespace, for terms that select namespaces. */
  namespaceLabels(name: string): Readonly<Record<string, string>>;
}

export function podRequest(pod: Stored<Pod>, volumes: VolumeNeeds, namespaceLabels: PodRequest['namespaceLabels']): PodRequest {
  return {
    key: keyOf(pod),
    uid: pod.metadata.uid,
    namespace: pod.metadata.namespace ?? '',
    labels: pod.metadata.labels ?? {},
    controllerUid: controllerOf(pod)?.uid,
    priority: pod.spec.priority ?? 0,
    spec: pod.spec,
    requests: requestsOf(pod.spec),
    ports: hostPortsOf(pod.spec),
    volumes,
    namespaceLabels,
  };
}

type Somebody = Pick<PlacedPod, 'namespace' | 'labels'>;

/** Whether a term of one pod means another. */
export function termMatches(
  term: PodAffinityTerm,
  ownNamespace: string,
  other: Somebody,
  namespaceLabels: PodRequest['namespaceLabels'],
): boolean {
  if (!selectorMatches(term.labelSelector, other.labels)) return false;
  const { namespaces = [], namespaceSelector } = term;
  if (namespaces.length === 0 && !namespaceSelector) return other.namespace === ownNamespace;
  return (
    namespaces.includes(other.namespace) ||
    (namespaceSelector !== undefined && selectorMatches(namespaceSelector, namespaceLabels(other.namespace)))
  );
}
