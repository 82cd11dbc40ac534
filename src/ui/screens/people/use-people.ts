import { useMemo } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { kinds } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import {
  groupOf,
  groupsOf,
  peopleKinds,
  type ClusterRoleTemplateBinding,
  type GlobalRoleBinding,
  type Project,
  type ProjectRoleTemplateBinding,
  type User,
  type UserAttribute,
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

export interface Group {
  readonly name: string;
  /** What was given to it in the hub. */
  readonly global: string;
  /** In how many clusters and projects it has roles. */
  readonly places: number;
  /** The people whom providers count to it, as far as they have signed in. */
  readonly members: readonly string[];
}

/** Groups that somebody has been seen in, or that something was given to. */
export function useGroups() {
  const people = usePeople();
  const attributes = useList<UserAttribute>({ kind: peopleKinds.userAttribute });
  const { global, clusters, projects } = people;
  const groups = useMemo(() => {
    const members = new Map<string, string[]>();
    for (const one of attributes.items)
      for (const group of groupsOf(one)) members.set(group, [...(members.get(group) ?? []), one.metadata.name ?? '']);
    const names = new Set([...members.keys(), ...[...global, ...clusters, ...projects].flatMap(one => groupOf(one) ?? [])]);
    return [...names].sort().map((name): Group => {
      const isTheirs = (one: Parameters<typeof groupOf>[0]) => groupOf(one) === name;
      return {
        name,
        global: global
          .filter(isTheirs)
          .map(one => one.globalRoleName)
          .join(', '),
        places: clusters.filter(isTheirs).length + projects.filter(isTheirs).length,
        members: members.get(name) ?? [],
      };
    });
  }, [attributes.items, global, clusters, projects]);
  return { groups, byId: people.byId, state: people.isLoading ? ('loading' as const) : attributes.state, error: attributes.error };
}
