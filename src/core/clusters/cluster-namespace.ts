import { Namespace } from '../../api/builtin-kinds.ts';
import { clusterAnnotations, type Cluster } from '../../api/cluster.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import { clusterId } from './cluster-id.ts';

/** The namespace on the hub that holds what belongs to one cluster: its credential, its tokens, its Works. */
export async function ensureClusterNamespace(hub: KubeClient, cluster: Cluster, call: CallOptions): Promise<void> {
  const name = clusterId(cluster);
  const metadata = {
    name,
    labels: { 'app.kubernetes.io/managed-by': 'drover' },
    annotations: { [clusterAnnotations.cluster]: cluster.metadata.name! },
  };
  await hub.apply(Namespace, { metadata }, { ...call, fieldManager: 'drover-clusters' });
}
