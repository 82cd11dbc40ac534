import type { Cluster } from '../../../api/cluster.ts';
import type { ClusterDeployment } from '../../../dialects/k0rdent/kinds/cluster-deployment.ts';
import type { MultiClusterService } from '../../../dialects/k0rdent/kinds/multi-cluster-service.ts';
import type { ServiceSet } from '../../../dialects/k0rdent/kinds/service-set.ts';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { hub, kinds, resourceOf, type Kind } from '../../data/kinds.ts';

export type { Cluster, ClusterDeployment, MultiClusterService, ServiceSet };

/** `web`, or `team/web` of one that has a namespace: as its ServiceSets name it. */
export const keyOf = ({ metadata: { namespace, name } }: { metadata: { namespace?: string; name?: string } }): string =>
  namespace === undefined ? `${name}` : `${namespace}/${name}`;

export const kindOf = ({ metadata }: MultiClusterService): Kind =>
  metadata.namespace === undefined ? kinds.multiClusterService : deliveryKinds.namespacedMultiClusterService;

/** Where this page shows a service. */
export const servicePlace = (namespace: string | undefined, name: string): string =>
  `/services/${[namespace ?? '_', name].map(encodeURIComponent).join('/')}`;

export const placeOf = ({ metadata: { namespace, name = '' } }: MultiClusterService): string => servicePlace(namespace, name);

/** As people type it: `mcs/web`, `nmcs/web -n team`. */
export const droverName = ({ metadata: { namespace, name } }: MultiClusterService): string =>
  namespace === undefined ? `mcs/${name}` : `nmcs/${name} -n ${namespace}`;

export const kubectlName = (mcs: MultiClusterService): string =>
  [resourceOf(kindOf(mcs)), mcs.metadata.name, ...(mcs.metadata.namespace === undefined ? [] : ['-n', mcs.metadata.namespace])].join(' ');

export const serviceKey = ({ namespace, name }: { namespace?: string; name: string }): string => `${namespace || 'default'}/${name}`;

/** The member of a ClusterDeployment is found by this annotation. */
const deploymentAnnotation = 'k0rdent.mirantis.com/cluster-deployment';
export const hubTarget = '/';

/** Members by the ClusterDeployment they are of. */
export const membersByTarget = (clusters: readonly Cluster[]): ReadonlyMap<string, Cluster> =>
  new Map(
    clusters.flatMap(cluster => {
      const target = cluster.metadata.name === hub ? hubTarget : cluster.metadata.annotations?.[deploymentAnnotation];
      return target === undefined ? [] : [[target, cluster] as const];
    }),
  );

/** Members that services cannot select: they choose among ClusterDeployments. */
export const withoutTarget = (clusters: readonly Cluster[]): readonly Cluster[] => {
  const known = new Set(membersByTarget(clusters).values());
  return clusters.filter(one => !known.has(one));
};

export const isPlanOnly = ({ spec }: MultiClusterService): boolean => {
  const config = spec.serviceSpec?.provider?.config as { syncMode?: string } | undefined;
  return (config?.syncMode ?? spec.serviceSpec?.syncMode) === 'DryRun';
};

export const priorityOf = ({ spec }: MultiClusterService): number => {
  const config = spec.serviceSpec?.provider?.config as { priority?: number } | undefined;
  return config?.priority ?? spec.serviceSpec?.priority ?? 100;
};
