import { useMemo } from 'react';
import type { Work } from '../../../api/work.ts';
import { kinds } from '../../data/kinds.ts';
import { useLists } from '../../data/use-list.ts';
import type { ApiError } from '../../data/request.ts';
import { hubTarget, keyOf, type Cluster, type MultiClusterService, type ServiceSet } from './service-kinds.ts';

/** On so many clusters the Works of a service are looked at. */
export const shownClusters = 30;
const ownerAnnotation = 'drover.io/owner';

export const targetOf = ({ metadata, spec }: ServiceSet): string =>
  spec.cluster === '' ? hubTarget : `${metadata.namespace}/${spec.cluster}`;

export interface ServiceWorks {
  readonly works: readonly Work[];
  readonly isLoading: boolean;
  readonly error: ApiError | undefined;
  /** How many clusters were not looked at. */
  readonly leftOut: number;
}

/** What the hub delivers of a service, cluster by cluster. */
export function useServiceWorks(
  mcs: MultiClusterService,
  sets: readonly ServiceSet[],
  members: ReadonlyMap<string, Cluster>,
): ServiceWorks {
  const own = sets.filter(({ spec }) => spec.multiClusterService === keyOf(mcs));
  const ids = own.flatMap(set => members.get(targetOf(set))?.status?.id ?? []);
  const lists = useLists<Work>(ids.slice(0, shownClusters).map(namespace => ({ kind: kinds.work, namespace })));
  const owner = ` ${keyOf(mcs)}`;
  return useMemo(
    () => ({
      works: lists.flatMap(({ items }) => items).filter(({ metadata }) => metadata.annotations?.[ownerAnnotation]?.endsWith(owner)),
      isLoading: lists.some(one => one.state === 'loading'),
      error: lists.find(one => one.error)?.error,
      leftOut: Math.max(0, ids.length - shownClusters),
    }),
    [lists, owner, ids.length],
  );
}

/** An object of a plan or of a drift as people name it. */
export const objectTitle = ({ kind, namespace, name }: { kind: string; namespace?: string; name: string }): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
