import type { Cluster } from '../../api/cluster.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { areMembersMeant, checkClusterOptions, matchingClusters, type ClusterOptions } from '../clusters/choose-clusters.ts';
import { requireCluster } from '../clusters/require-cluster.ts';
import type { HubConnection } from '../hub-client.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { ResourceArguments } from '../resources/resource-arguments.ts';
import type { Terminal } from '../terminal.ts';
import { isWorkType } from './work-argument.ts';

/** Whether nothing but Works of clusters is asked for. Works lie on the hub: a member is not asked for them. */
export function areWorksOfClusters(wanted: ResourceArguments, options: ClusterOptions): boolean {
  const types = wanted.by === 'type' ? wanted.types : wanted.pairs.map(({ type }) => type);
  return areMembersMeant(options) && types.every(isWorkType);
}

/** The namespaces of the hub that hold the Works of the clusters that the options name. */
export async function worksSources(hub: HubConnection, options: ClusterOptions, terminal: Terminal): Promise<ApiSource[]> {
  checkClusterOptions(options);
  const clusters: Cluster[] =
    options.cluster.length === 0
      ? await matchingClusters(hub, options, terminal)
      : await Promise.all([...new Set(options.cluster)].map(name => requireCluster(hub, name, terminal)));
  return clusters.map(cluster => ({ ...hub.source(), namespace: clusterId(cluster) }));
}
