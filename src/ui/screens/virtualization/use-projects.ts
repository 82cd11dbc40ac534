import { useMemo } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { kinds, type KubeObject } from '../../data/kinds.ts';
import { machineKinds } from '../../data/machine-kinds.ts';
import { useLists } from '../../data/use-list.ts';

const annotation = 'field.cattle.io/projectId';

interface Project extends KubeObject {
  readonly spec?: { readonly displayName?: string };
}

/** The project of a namespace of a cluster, by the name that people gave it. Empty where there is none, or where it cannot be seen. */
export function useProjects(clusters: readonly Cluster[]): (cluster: string, namespace: string | undefined) => string {
  const namespaces = useLists(clusters.map(one => ({ cluster: one.metadata.name!, kind: kinds.namespace })));
  const projects = useLists<Project>(
    clusters.flatMap(one => (one.status?.id ? [{ kind: machineKinds.project, namespace: one.status.id }] : [])),
  );
  return useMemo(() => {
    const names = new Map(
      projects
        .flatMap(({ items }) => items)
        .map(one => [`${one.metadata.namespace}:${one.metadata.name}`, one.spec?.displayName ?? one.metadata.name]),
    );
    const found = new Map(
      namespaces.flatMap(({ wanted, items }) =>
        items.map(one => [`${wanted.cluster} ${one.metadata.name}`, one.metadata.annotations?.[annotation] ?? ''] as const),
      ),
    );
    return (cluster, namespace) => {
      const id = found.get(`${cluster} ${namespace}`) ?? '';
      return names.get(id) ?? id.split(':')[1] ?? '';
    };
  }, [namespaces, projects]);
}
