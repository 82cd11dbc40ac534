import { Cluster } from '../../../api/cluster.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { localClusterName } from '../../../core/clusters/local-cluster.ts';
import { clusterDeploymentAnnotation } from '../cluster-of.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { MultiClusterService } from '../kinds/multi-cluster-service.ts';
import { NamespacedMultiClusterService } from '../kinds/namespaced-multi-cluster-service.ts';
import { ServiceSet } from '../kinds/service-set.ts';
import { hubTarget } from '../owned-sets.ts';

/** The kinds whose objects want services on clusters. */
export const ownerKinds = [MultiClusterService, NamespacedMultiClusterService, ClusterDeployment, ServiceSet] as const;
export type OwnerKind = (typeof ownerKinds)[number];
export type OwnerObject = KubeObject & { readonly spec: unknown; readonly status?: unknown };

/** By target: the namespace/name of a ClusterDeployment, or that of the hub. */
export async function membersByTarget(hub: KubeClient, signal: AbortSignal): Promise<Map<string, Cluster>> {
  const { items } = await hub.list(Cluster, { signal });
  return new Map(
    items.flatMap(cluster => {
      const target = cluster.metadata.name === localClusterName ? hubTarget : cluster.metadata.annotations?.[clusterDeploymentAnnotation];
      return target === undefined ? [] : [[target, cluster] as const];
    }),
  );
}

/** Whether a target is the cluster that somebody named: by the name of its ClusterDeployment, with or without namespace, or of the member. */
export function isMeant(target: string, cluster: string | undefined, members: ReadonlyMap<string, Cluster>): boolean {
  if (cluster === undefined) return true;
  return target === cluster || target.split('/')[1] === cluster || members.get(target)?.metadata.name === cluster;
}
