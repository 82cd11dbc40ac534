import { useMemo } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { kinds } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import {
  peopleKinds,
  type ClusterRoleTemplateBinding,
  type GlobalRoleBinding,
  type Project,
  type ProjectRoleTemplateBinding,
  type User,
} from './people-kinds.ts';

/** Users and what they were given, live. */
export function usePeople() {
  const users = useList<User>({ kind: peopleKinds.user });
  const global = useList<GlobalRoleBinding>({ kind: peopleKinds.globalRoleBinding });
  const clusters = useList<ClusterRoleTemplateBinding>({ kind: peopleKinds.clusterBinding });
  const projects = useList<ProjectRoleTemplateBinding>({ kind: peopleKinds.projectBinding });
  const byId = useMemo(() => new Map(users.items.map(one => [one.metadata.name ?? '', one])), [users.items]);
  const isLoading = [global, clusters, projects].some(one => one.state === 'loading');
  return { users, byId, global: global.items, clusters: clusters.items, projects: projects.items, isLoading };
}

/** Names of clusters and projects by what bindings call them. */
export function usePlaceNames() {
  const clusters = useList<Cluster>({ kind: kinds.cluster });
  const projects = useList<Project>({ kind: peopleKinds.project });
  return useMemo(() => {
    const names = new Map(clusters.items.map(one => [one.status?.id ?? one.metadata.name ?? '', one.metadata.name ?? '']));
    const known = new Map(projects.items.map(one => [`${one.metadata.namespace}:${one.metadata.name}`, one]));
    return {
      clusters: clusters.items,
      projects: projects.items,
      projectsState: projects.state,
      projectsError: projects.error,
      clusterName: (id: string): string => names.get(id) ?? id,
      project: (id: string): Project | undefined => known.get(id),
    };
  }, [clusters.items, projects.items, projects.state, projects.error]);
}
