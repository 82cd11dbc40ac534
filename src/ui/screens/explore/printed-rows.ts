import { useEffect, useMemo, useState } from 'react';
import { seesHub } from '../../data/hub-sight.ts';
import { hub, kindKey, kinds, type Kind } from '../../data/kinds.ts';
import { may } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
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

interface ListPlace {
  readonly cluster: string;
  readonly namespace?: string | undefined;
}

/** Where to look for objects of a kind: in all namespaces at once for those who may, otherwise in each that is open to them. Undefined until it is known. */
function usePlaces(kind: Kind, clusters: readonly string[], namespace: string): readonly ListPlace[] | undefined {
  const isPlain = seesHub() || namespace !== '' || !kind.isNamespaced;
  const [found, setFound] = useState<{ key: string; places: readonly ListPlace[] }>();
  const key = `${kindKey(kind)} ${clusters.join()}`;
  useEffect(() => {
    if (isPlain) return;
    let isOver = false;
    void Promise.all(clusters.map(cluster => openPlaces(kind, cluster))).then(places => isOver || setFound({ key, places: places.flat() }));
    return () => {
      isOver = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key names them
  }, [key, isPlain]);
  return useMemo(() => {
    if (isPlain) return clusters.map(cluster => ({ cluster, ...(namespace !== '' && { namespace }) }));
    return found?.key === key ? found.places : undefined;
  }, [isPlain, clusters, namespace, found, key]);
}

async function openPlaces(kind: Kind, cluster: string): Promise<readonly ListPlace[]> {
  if (await may({ verb: 'list', kind, cluster })) return [{ cluster }];
  const id = await clusterIdOf(cluster);
  const { data } = await request<{ data: { id: string }[] }>(`/v3/cluster/${encodeURIComponent(id)}/namespaces?limit=-1`).catch(() => ({
    data: [],
  }));
  const places = await Promise.all(
    data.map(async ({ id: namespace }) => ((await may({ verb: 'list', kind, cluster, namespace })) ? [{ cluster, namespace }] : [])),
  );
  return places.flat();
}

async function clusterIdOf(name: string): Promise<string> {
  const { data } = await request<{ data: { id: string }[] }>(`/v3/clusters?name=${encodeURIComponent(name)}`);
  return data[0]?.id ?? name;
}
