import { useMemo } from 'react';
import { hub, kinds, type Kind } from '../../data/kinds.ts';
import { usePlaces } from '../../data/list-places.ts';
import { useList, useLists, type ListedIn } from '../../data/use-list.ts';
import type { ListState, PrintedObject, TableColumn } from '../../data/watched-list.ts';
import type { Scope } from '../../app/scope.tsx';

/** One object on one cluster, as the server there prints it. */
export interface PrintedRow {
  readonly cluster: string;
  readonly object: PrintedObject;
  readonly isStale: boolean;
}

export interface PrintedRows {
  readonly rows: readonly PrintedRow[];
  readonly columns: readonly TableColumn[];
  readonly state: ListState;
  /** Clusters that refused or do not answer; those that do not know the kind are not among them. */
  readonly failed: readonly ListedIn<PrintedObject>[];
  /** How many clusters there would be, when they are too many to follow at once. */
  readonly leftOut: number;
}

/** Each cluster is followed by itself; more than these at once nobody reads. */
const mostClusters = 40;

/** The clusters of a scope by name: the hub and all members when none are chosen. */
export function useClustersOf(scope: Scope): { readonly clusters: readonly string[]; readonly leftOut: number; readonly isKnown: boolean } {
  const { items, state } = useList(scope.clusters.length > 0 ? undefined : { kind: kinds.cluster });
  return useMemo(() => {
    if (scope.clusters.length > 0)
      return { clusters: scope.clusters.slice(0, mostClusters), leftOut: Math.max(0, scope.clusters.length - mostClusters), isKnown: true };
    const all = [
      hub,
      ...items
        .map(one => one.metadata.name!)
        .filter(name => name !== hub)
        .toSorted(),
    ];
    return { clusters: all.slice(0, mostClusters), leftOut: Math.max(0, all.length - mostClusters), isKnown: state !== 'loading' };
  }, [scope, items, state]);
}

export function usePrintedRows(kind: Kind, scope: Scope, selector: { labelSelector?: string; fieldSelector?: string } = {}): PrintedRows {
  const { clusters, leftOut, isKnown } = useClustersOf(scope);
  const places = usePlaces(kind, isKnown ? clusters : [], kind.isNamespaced ? scope.namespace : '');
  const lists = useLists<PrintedObject>((places ?? []).map(place => ({ ...place, kind, isTable: true, ...selector })));
  return useMemo(() => {
    const rows = lists.flatMap(({ wanted, items, state }) =>
      items.map(object => ({ cluster: wanted.cluster!, object, isStale: state === 'stale' })),
    );
    const columns = lists.find(one => one.columns.length > 0)?.columns ?? [];
    const isLoading = !isKnown || !places || lists.some(one => one.state === 'loading');
    const failed = lists.filter(one => one.error && one.error.code !== 404);
    return { rows, columns, state: isLoading ? 'loading' : 'live', failed, leftOut };
  }, [lists, leftOut, isKnown, places]);
}
