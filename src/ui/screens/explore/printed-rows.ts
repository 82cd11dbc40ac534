import { useMemo } from 'react';
import { seesHub } from '../../data/hub-sight.ts';
import { hub, kinds, type Kind } from '../../data/kinds.ts';
import { usePlaces } from '../../data/list-places.ts';
import { useList, useLists, type ListedIn } from '../../data/use-list.ts';
import type { ListState, PrintedObject, TableColumn } from '../../data/watched-list.ts';
import { useServing } from '../../data/use-served.ts';
import { useUrlValue } from '../../app/place.tsx';
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
  /** Those that serve the kind, of the ones that are looked at. */
  readonly clusters: readonly string[];
  /** How many clusters the scope has. */
  readonly total: number;
  /** How many objects were not loaded, because there are too many. */
  readonly left: number;
}

/** Each cluster is followed by itself; more than these at once nobody reads. */
export const clustersAtOnce = 40;

/** With which cluster of the scope to begin, as the address says. */
export function useFirstCluster(): [number, (first: number) => void] {
  const [text, set] = useUrlValue('from');
  const first = Math.max(0, Math.floor(Number(text)) || 0);
  return [first, next => set(next === 0 ? '' : String(next))];
}

interface ScopeClusters {
  readonly clusters: readonly string[];
  readonly total: number;
  readonly isKnown: boolean;
}

/** The clusters of a scope by name, as many as are looked at once: the hub and all members when none are chosen. */
export function useClustersOf(scope: Scope): ScopeClusters {
  const [first] = useFirstCluster();
  const { items, state } = useList(scope.clusters.length > 0 ? undefined : { kind: kinds.cluster });
  const names = useMemo(() => [...(seesHub() ? [hub] : []), ...items.map(one => one.metadata.name!).toSorted()], [items]);
  // Clusters change all the time; who looks at them by name need not hear of it.
  const key = (scope.clusters.length > 0 ? scope.clusters : [...new Set(names)]).join('\n');
  const isKnown = scope.clusters.length > 0 || state !== 'loading';
  return useMemo(() => {
    const all = key.split('\n').filter(Boolean);
    const from = first < all.length ? first : 0;
    return { clusters: all.slice(from, from + clustersAtOnce), total: all.length, isKnown };
  }, [key, first, isKnown]);
}

const none: readonly string[] = [];

export function usePrintedRows(kind: Kind, scope: Scope, selector: { labelSelector?: string; fieldSelector?: string } = {}): PrintedRows {
  const { clusters: all, total, isKnown: areKnown } = useClustersOf(scope);
  const clusters = useServing(kind, all);
  const isKnown = areKnown && clusters !== undefined;
  const places = usePlaces(kind, isKnown ? clusters : none, kind.isNamespaced ? scope.namespace : '');
  const lists = useLists<PrintedObject>((places ?? []).map(place => ({ ...place, kind, isTable: true, ...selector })));
  return useMemo(() => {
    const rows = lists.flatMap(({ wanted, items, state }) => items.map(object => rowOf(wanted.cluster!, object, state === 'stale')));
    const columns = lists.find(one => one.columns.length > 0)?.columns ?? [];
    const isLoading = !isKnown || !places || lists.some(one => one.state === 'loading');
    const failed = lists.filter(one => one.error && one.error.code !== 404);
    const asked = lists.filter(one => one.error?.code !== 404);
    const serving = [...new Set(asked.map(({ wanted }) => wanted.cluster!))];
    const left = lists.reduce((sum, one) => sum + one.left, 0);
    // Of clusters that could not be read it is not said that they have none.
    const isFailed = failed.length > 0 && failed.length === asked.length;
    return { rows, columns, state: isLoading ? 'loading' : isFailed ? 'failed' : 'live', failed, clusters: serving, total, left };
  }, [lists, total, isKnown, places]);
}

/** The same row for the same object, so that what has not changed is not drawn again. */
const rows = new WeakMap<PrintedObject, PrintedRow>();

function rowOf(cluster: string, object: PrintedObject, isStale: boolean): PrintedRow {
  const known = rows.get(object);
  if (known?.cluster === cluster && known.isStale === isStale) return known;
  const row = { cluster, object, isStale };
  rows.set(object, row);
  return row;
}
