import { useEffect, useMemo, useState } from 'react';
import { seesHub } from './hub-sight.ts';
import { kindKey, type Kind } from './kinds.ts';
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
