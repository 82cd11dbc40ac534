import { Cluster } from '../api/cluster.ts';
import { stillStarting } from '../api/status.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { clusterId } from '../core/clusters/cluster-id.ts';
import type { Informer } from '../runtime/informer.ts';

/** Finds Clusters for those who name them in an address. */
export interface ClusterFinder {
  /** By id, or else by name, from memory. Throws 503 while the hub does not know its clusters yet. */
  find(ref: string): Cluster | undefined;
  /** Undefined only when there is certainly none. */
  findById(id: string): Promise<Cluster | undefined>;
  /** The one that is known to be this member. */
  findByUid(memberUid: string): Cluster | undefined;
}

const hubTimeoutMs = 10_000;

/** The informer must have `clusterIndexes`. */
export function clusterFinder(clusters: Informer<Cluster>, hub: KubeClient): ClusterFinder {
  const known = () => {
    if (!clusters.hasSynced) throw stillStarting('clusters');
    return clusters;
  };
  return {
    find: ref => known().by('id', ref)[0] ?? known().get(ref),
    async findById(id) {
      const cached = known().by('id', id)[0];
      if (cached) return cached;
      // Memory can be a moment behind, and who is not found here may go away for good.
      const { items } = await hub.list(Cluster, { timeoutMs: hubTimeoutMs });
      return items.find(cluster => clusterId(cluster) === id);
    },
    findByUid: memberUid => known().by('memberUid', memberUid)[0],
  };
}
