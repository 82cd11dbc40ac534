import { clusterConditions, type Cluster } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { UnreachableError } from '../../../client/transport.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import type { MemberDirectory } from '../../../core/clusters/member-directory.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { ProjectNamespace } from './compile-quota.ts';
import { followMember, type FollowedMember } from './follow-member.ts';
import type { PolicyRule } from './rbac-objects.ts';

/** What is wanted to be known of a member. */
export interface WantedSight {
  readonly wantsView: boolean;
}

/** Members of whose projects somebody has a part: followed as long as that is so. */
export interface MemberSights {
  /** Follows a member, or no longer. */
  want(id: string, wanted: WantedSight | undefined): void;
  /** Undefined while they are not known. */
  namespacesOf(id: string, project: string): ProjectNamespace[] | undefined;
  viewRules(id: string): PolicyRule[] | undefined;
}

export interface MemberSightsDeps {
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly members: Pick<MemberDirectory, 'client' | 'subscribe'>;
  readonly signal: AbortSignal;
  /** The namespaces of all projects of a member are known. */
  onKnown(id: string): void;
  /** The namespaces of a project are others now. */
  onProject(id: string, project: string): void;
  /** What people may see who see everything but Secrets is another thing now. */
  onView(id: string): void;
  onError(error: unknown): void;
}

export function memberSights(deps: MemberSightsDeps): MemberSights {
  const { clusters, members, signal, onError } = deps;
  const wanted = new Map<string, WantedSight>();
  const followed = new Map<string, FollowedMember & WantedSight>();
  const subscriptions = [
    members.subscribe(name => {
      const cluster = clusters.get(name);
      if (cluster) look(clusterId(cluster));
    }),
    clusters.subscribe(({ type, object, old }) => {
      if (type === 'DELETED' || !old) return look(clusterId(object));
      if (isConnected(old) || !isConnected(object)) return;
      // Informers that found nobody there for long wait long before they ask again.
      end(clusterId(object));
      look(clusterId(object));
    }),
  ];
  signal.addEventListener('abort', close, { once: true });

  return {
    want(id, sight) {
      if (sight) wanted.set(id, sight);
      else wanted.delete(id);
      look(id);
    },
    namespacesOf: (id, project) => followed.get(id)?.namespacesOf(project),
    viewRules: id => followed.get(id)?.viewRules(),
  };

  function look(id: string): void {
    const sight = signal.aborted ? undefined : wanted.get(id);
    if (!sight || clusters.by('id', id).length === 0) return end(id);
    const present = followed.get(id);
    const client = clientOf(id);
    // What is known of a member that is away stays.
    if (!client || (present?.client === client && present.wantsView === sight.wantsView)) return;
    end(id);
    const { wantsView } = sight;
    const fresh = followMember(client, {
      id,
      wantsView,
      onKnown: () => deps.onKnown(id),
      onProject: project => deps.onProject(id, project),
      onView: () => deps.onView(id),
      onError,
    });
    followed.set(id, { ...fresh, wantsView });
  }

  function clientOf(id: string): KubeClient | undefined {
    const [cluster] = clusters.by('id', id);
    try {
      return cluster && members.client(cluster.metadata.name!);
    } catch (error) {
      // Whoever opens the way says so.
      if (error instanceof UnreachableError) return undefined;
      onError(error);
      return undefined;
    }
  }

  function end(id: string): void {
    followed.get(id)?.[Symbol.dispose]();
    followed.delete(id);
  }

  function close(): void {
    for (const one of subscriptions) one[Symbol.dispose]();
    for (const id of followed.keys()) end(id);
  }
}

const isConnected = (cluster: Cluster): boolean => findCondition(cluster, clusterConditions.connected)?.status === 'True';
