import type { Cluster } from '../../api/cluster.ts';
import type { JsonObject } from '../../util/json.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';

/** On a Cluster: the ClusterDeployment it is of, as namespace/name. */
export const clusterDeploymentAnnotation = 'k0rdent.mirantis.com/cluster-deployment';

/** What Sveltos calls the hub itself. */
export const hubItself = { apiVersion: 'lib.projectsveltos.io/v1beta1', kind: 'SveltosCluster', namespace: 'mgmt', name: 'mgmt' };

/** The index by which informers of Clusters find that of a ClusterDeployment. */
export const clusterDeploymentIndex = 'clusterDeployment';

export function clusterDeploymentsOf({ metadata }: Cluster): string[] {
  const owner = metadata.annotations?.[clusterDeploymentAnnotation];
  return owner === undefined ? [] : [owner];
}

/** What Sveltos calls the cluster of a ClusterDeployment, as templates of values see it. */
export function sveltosCluster(cluster: Cluster, deployment: ClusterDeployment | undefined): JsonObject {
  const config = deployment?.spec.config as
    { clusterLabels?: Record<string, string>; clusterAnnotations?: Record<string, string> } | undefined;
  const labels = config?.clusterLabels ?? deployment?.metadata.labels ?? cluster.metadata.labels;
  return {
    apiVersion: 'lib.projectsveltos.io/v1beta1',
    kind: 'SveltosCluster',
    metadata: {
      name: deployment?.metadata.name ?? hubItself.name,
      namespace: deployment?.metadata.namespace ?? hubItself.namespace,
      ...(labels && { labels }),
      ...(config?.clusterAnnotations && { annotations: config.clusterAnnotations }),
    },
    spec: {},
    status: {
      ready: cluster.status?.conditions?.some(one => one.type === 'Ready' && one.status === 'True') ?? false,
      ...(cluster.status?.version !== undefined && { version: cluster.status.version }),
    },
  };
}
