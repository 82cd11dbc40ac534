import { useEffect, useMemo, useState } from 'react';
import { seesHub } from './hub-sight.ts';
import { kindKey, kinds, pathOf, type Kind, type KubeObject } from './kinds.ts';
import { may } from './permissions.ts';
import { request } from './request.ts';

/** Where objects are listed. */
export interface ListPlace {
  readonly cluster: string;
  readonly namespace?: string | undefined;
}

/** Where to look for objects of a kind: in all namespaces at once for those who may, otherwise in each that is open to them. Undefined until it is known. */
export function usePlaces(kind: Kind, clusters: readonly string[], namespace: string): readonly ListPlace[] | undefined {
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
  return (await openNamespaces('list', kind, cluster)).map(namespace => ({ cluster, namespace }));
}

/** The namespaces of a cluster in which somebody may do something with a kind; undefined until it is known. Nothing is asked about no cluster. */
export function useNamespacesFor(verb: string, kind: Kind, cluster: string | undefined): readonly string[] | undefined {
  const [found, setFound] = useState<{ key: string; names: readonly string[] }>();
  const key = `${verb} ${kindKey(kind)} ${cluster}`;
  useEffect(() => {
    if (cluster === undefined) return;
    let isOver = false;
    void namespacesFor(verb, kind, cluster).then(
      names => isOver || setFound({ key, names }),
      () => isOver || setFound({ key, names: [] }),
    );
    return () => {
      isOver = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says all of it
  }, [key]);
  return found?.key === key ? found.names : undefined;
}

async function namespacesFor(verb: string, kind: Kind, cluster: string): Promise<readonly string[]> {
  if (!(await may({ verb, kind, cluster }))) return openNamespaces(verb, kind, cluster);
  const { items } = await request<{ items: KubeObject[] }>(pathOf(kinds.namespace, { cluster }));
  return items.map(one => one.metadata.name ?? '');
}

/** By what Rancher's API shows: those who are members of projects cannot list the namespaces of a cluster. */
async function openNamespaces(verb: string, kind: Kind, cluster: string): Promise<readonly string[]> {
  const id = await clusterIdOf(cluster);
  const { data } = await request<{ data: { id: string }[] }>(`/v3/cluster/${encodeURIComponent(id)}/namespaces?limit=-1`).catch(() => ({
    data: [],
  }));
  const open = await Promise.all(
    data.map(async ({ id: namespace }) => ((await may({ verb, kind, cluster, namespace })) ? [namespace] : [])),
  );
  return open.flat();
}

async function clusterIdOf(name: string): Promise<string> {
  const { data } = await request<{ data: { id: string }[] }>(`/v3/clusters?name=${encodeURIComponent(name)}`);
  return data[0]?.id ?? name;
}
