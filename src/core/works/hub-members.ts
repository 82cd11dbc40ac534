import { type Cluster, clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { UnreachableError } from '../../client/transport.ts';
import type { Informer } from '../../runtime/informer.ts';
import { clusterId } from '../clusters/cluster-id.ts';
import type { MemberDirectory } from '../clusters/member-directory.ts';
import { openMember, type Member } from '../delivery/member.ts';
import type { DeliveryMembers } from './delivery-members.ts';

export interface HubMembersDeps {
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly directory: Pick<MemberDirectory, 'client' | 'subscribe' | 'synced'>;
  readonly signal: AbortSignal;
}

/** The clusters that the hub delivers to itself. Those with an agent deliver to themselves. */
export function hubMembers({ clusters, directory, signal }: HubMembersDeps): DeliveryMembers {
  const open = new Map<string, { readonly client: KubeClient; readonly member: Member & AsyncDisposable }>();
  const find = (namespace: string) => clusters.by('id', namespace).find(isOurs);

  return {
    find(namespace) {
      const cluster = find(namespace);
      return cluster && { name: cluster.metadata.name! };
    },
    open(namespace) {
      const cluster = find(namespace);
      if (!cluster) throw new UnreachableError(`no cluster has the namespace "${namespace}"`);
      const name = cluster.metadata.name!;
      const client = directory.client(name);
      const present = open.get(namespace);
      if (present?.client === client) return present.member;
      void present?.member[Symbol.asyncDispose]();
      const member = openMember(name, client, { signal });
      open.set(namespace, { client, member });
      return member;
    },
    isLost(namespace) {
      const cluster = find(namespace);
      return !cluster || isLost(cluster);
    },
    isPaused: namespace => find(namespace)?.spec.paused === true,
    subscribe(listener) {
      const tell = (namespace: string, isOtherWay: boolean): void => {
        if (!find(namespace)) close(namespace);
        listener(namespace, isOtherWay);
      };
      const subscriptions = [
        directory.subscribe(name => {
          const cluster = clusters.get(name);
          if (cluster && isOurs(cluster)) tell(clusterId(cluster), true);
        }),
        clusters.subscribe(({ type, object, old }) => {
          if (type === 'DELETED' || (old && hasChanged(old, object))) tell(clusterId(object), false);
        }),
      ];
      return { [Symbol.dispose]: () => subscriptions.forEach(one => one[Symbol.dispose]()) };
    },
    synced: directory.synced,
  };

  function close(namespace: string): void {
    void open.get(namespace)?.member[Symbol.asyncDispose]();
    open.delete(namespace);
  }
}

const isOurs = ({ spec }: Cluster): boolean => spec.connection.mode !== 'Tunnel';
const isLost = (cluster: Cluster): boolean => findCondition(cluster, clusterConditions.connected)?.status === 'False';

function hasChanged(old: Cluster, cluster: Cluster): boolean {
  return isLost(old) !== isLost(cluster) || isOurs(old) !== isOurs(cluster) || old.spec.paused !== cluster.spec.paused;
}
