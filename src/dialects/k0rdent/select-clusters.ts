import type { Cluster } from '../../api/cluster.ts';
import { whyKeptAway } from '../../api/cluster-taints.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { selectorTest } from '../../api/label-selector.ts';
import { unmetDemands } from '../../api/unmet-demands.ts';

type Selector = NonNullable<MultiClusterService['spec']['clusterSelector']>;
type Labels = Readonly<Record<string, string>>;

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: Selector = {}): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** Whether a selector matches labels. Unlike elsewhere in Kubernetes an empty one matches nothing. */
export function selects(selector: Selector | undefined, labels: Labels = {}): boolean {
  return testOf(selector)(labels);
}

function testOf(selector: Selector | undefined): (labels: Labels) => boolean {
  return !selector || isEmptySelector(selector) ? () => false : selectorTest(selector);
}

/** What decides, besides labels, whether a service is placed on a cluster. */
export interface PlacementSight {
  clusterOf(deployment: ClusterDeployment): Pick<Cluster, 'spec'> | undefined;
  /** Whether the services are on it, and not on their way off it. */
  isThere(mcs: MultiClusterService, deployment: ClusterDeployment): boolean;
}

/** The ClusterDeployments whose labels match: of all namespaces, or of that of a MultiClusterService which has one. */
export function matchClusters(mcs: MultiClusterService, deployments: readonly ClusterDeployment[]): ClusterDeployment[] {
  const isInReach = reachOf(mcs);
  return deployments.filter(one => one.metadata.deletionTimestamp === undefined && isInReach(one));
}

/** Those of them that get the services: taints of the cluster may keep them away. */
export function selectClusters(
  mcs: MultiClusterService,
  deployments: readonly ClusterDeployment[],
  sight: PlacementSight,
): ClusterDeployment[] {
  return matchClusters(mcs, deployments).filter(one => whyNotPlaced(mcs, one, sight) === undefined);
}

function whyNotPlaced(mcs: MultiClusterService, deployment: ClusterDeployment, sight: PlacementSight): string | undefined {
  const cluster = sight.clusterOf(deployment);
  return (cluster?.spec.taints ?? []).length === 0 ? undefined : whyKeptAway(cluster, sight.isThere(mcs, deployment));
}

/** Whether it would get the services while it stays. */
export function isInReach(mcs: MultiClusterService, deployment: ClusterDeployment): boolean {
  return reachOf(mcs)(deployment);
}

/** Why a ClusterDeployment does not get the services, for people. Undefined when it does. */
export function whyNotSelected(mcs: MultiClusterService, deployment: ClusterDeployment, sight: PlacementSight): string | undefined {
  if (reachOf(mcs)(deployment)) return whyNotPlaced(mcs, deployment, sight);
  const { metadata, spec } = mcs;
  if (metadata.namespace !== undefined && metadata.namespace !== deployment.metadata.namespace)
    return `it is not in namespace ${metadata.namespace}`;
  const unmet = unmetDemands(spec.clusterSelector ?? {}, deployment.metadata.labels);
  return unmet.length === 0 ? 'the selector is empty and matches nothing' : unmet.join(', ');
}

function reachOf({ metadata: { namespace }, spec }: MultiClusterService): (deployment: ClusterDeployment) => boolean {
  const isSelected = testOf(spec.clusterSelector);
  return ({ metadata }) => (namespace === undefined || namespace === metadata.namespace) && isSelected(metadata.labels ?? {});
}
