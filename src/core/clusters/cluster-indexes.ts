import type { Cluster } from '../../api/cluster.ts';
import { clusterId } from './cluster-id.ts';

/** How informers of Clusters find them by other than their name. */
export const clusterIndexes = {
  id: (cluster: Cluster) => [clusterId(cluster)],
  /** The uid of the member itself, once it is known. */
  memberUid: (cluster: Cluster) => (cluster.status?.uid === undefined ? [] : [cluster.status.uid]),
} as const;
