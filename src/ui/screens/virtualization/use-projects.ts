import { useEffect, useMemo, useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { seesHub } from '../../data/hub-sight.ts';
import { kinds, type KubeObject } from '../../data/kinds.ts';
import { machineKinds } from '../../data/machine-kinds.ts';
import { request } from '../../data/request.ts';
import { useLists } from '../../data/use-list.ts';

const annotation = 'field.cattle.io/projectId';

interface Project extends KubeObject {
  readonly spec?: { readonly displayName?: string };
}

/** Ids of projects by cluster and namespace, and names of projects by id. */
interface Found {
  readonly ids: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, string>;
}

/** The project of a namespace of a cluster, by the name that people gave it. Empty where there is none, or where it cannot be seen. */
export function useProjects(clusters: readonly Cluster[]): (cluster: string, namespace: string | undefined) => string {
  const ofHub = useProjectsOfHub(seesHub() ? clusters : []);
  const ofOwn = useOwnProjects(seesHub() ? [] : clusters);
  const { ids, names } = ofOwn ?? ofHub;
  return useMemo(
    () => (cluster, namespace) => {
      const id = ids.get(`${cluster} ${namespace}`) ?? '';
      return names.get(id) ?? id.split(':')[1] ?? '';
    },
    [ids, names],
  );
}

function useProjectsOfHub(clusters: readonly Cluster[]): Found {
  const namespaces = useLists(clusters.map(one => ({ cluster: one.metadata.name!, kind: kinds.namespace })));
  const projects = useLists<Project>(
    clusters.flatMap(one => (one.status?.id ? [{ kind: machineKinds.project, namespace: one.status.id }] : [])),
  );
  return useMemo(
    () => ({
      ids: new Map(
        namespaces.flatMap(({ wanted, items }) =>
          items.map(one => [`${wanted.cluster} ${one.metadata.name}`, one.metadata.annotations?.[annotation] ?? ''] as const),
        ),
      ),
      names: new Map(
        projects
          .flatMap(({ items }) => items)
          .map(one => [`${one.metadata.namespace}:${one.metadata.name}`, one.spec?.displayName ?? one.metadata.name ?? '']),
      ),
    }),
    [namespaces, projects],
  );
}

interface Answer {
  readonly data: readonly { readonly id: string; readonly name?: string; readonly projectId?: string | null }[];
}

/** The same for members of projects, who may list neither namespaces nor projects: what Rancher's API shows them. */
function useOwnProjects(clusters: readonly Cluster[]): Found | undefined {
  const [found, setFound] = useState<Found>();
  const places = clusters.flatMap(({ metadata, status }) => (status?.id ? [{ name: metadata.name!, id: status.id }] : []));
  const key = places.map(one => one.id).join();
  useEffect(() => {
    if (places.length === 0) return;
    let isOver = false;
    const ask = (path: string) => request<Answer>(`${path}?limit=-1`).catch((): Answer => ({ data: [] }));
    void Promise.all([
      ask('/v3/projects'),
      Promise.all(places.map(async one => ({ ...one, ...(await ask(`/v3/cluster/${encodeURIComponent(one.id)}/namespaces`)) }))),
    ]).then(([projects, namespaces]) => {
      if (isOver) return;
      setFound({
        ids: new Map(namespaces.flatMap(({ name, data }) => data.map(one => [`${name} ${one.id}`, one.projectId ?? ''] as const))),
        names: new Map(projects.data.map(one => [one.id, one.name ?? ''])),
      });
    });
    return () => {
      isOver = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key names them
  }, [key]);
  return found;
}
