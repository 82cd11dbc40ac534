import type { Cluster } from '../../../api/cluster.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';

/** The clusters of this hub, by name. Those that are leaving are none any more. */
export function hubClusters(clusters: Pick<Informer<Cluster>, 'list'>): ResolvedCluster[] {
  return clusters
    .list()
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(cluster => ({ id: clusterId(cluster), name: cluster.metadata.name!, labels: cluster.metadata.labels ?? {} }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
