import { workAnnotations } from './work-annotations.ts';
import type { Work } from './work.ts';

/** A ServiceSet, as far as it matters here. */
export interface DrainedSet {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
  readonly spec: { readonly multiClusterService?: string };
}

export interface DrainFacts {
  /** All Works of the cluster. */
  readonly works: readonly Work[];
  readonly sets: readonly DrainedSet[];
  /** Whether a MultiClusterService, named as sets name it, keeps its services on clusters that it does not choose any more. */
  isKeeping(service: string): boolean;
}

/** One Work, and why it goes or stays. */
export interface DrainedWork {
  readonly work: Work;
  /** Who wants it: `MultiClusterService web`. */
  readonly owner: string;
  /** Undefined when it goes. */
  readonly whyItStays?: string;
}

/** What a drain takes off a cluster: what chose the cluster by its labels, and would choose it again. What was made for this cluster stays. */
export function planDrain({ works, sets, isKeeping }: DrainFacts): readonly DrainedWork[] {
  const byName = new Map(sets.map(one => [`${one.metadata.namespace}/${one.metadata.name}`, one]));
  return works.map(work => {
    const { annotations = {}, name, deletionTimestamp } = work.metadata;
    const owner = annotations[workAnnotations.owner] ?? `Work ${name}`;
    if (deletionTimestamp !== undefined) return { work, owner };
    const set = byName.get(annotations[workAnnotations.serviceSet] ?? '');
    if (!set) return { work, owner, whyItStays: 'it was made for this cluster alone' };
    const service = set.spec.multiClusterService;
    if (service === undefined) return { work, owner, whyItStays: 'its owner names this cluster' };
    return isKeeping(service) ? { work, owner, whyItStays: 'its owner says keepServicesOnSelectorMismatch' } : { work, owner };
  });
}

export const releaseText = ({ spec }: Work): string => `${spec.release.namespace}/${spec.release.name}`;
