import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { selectorMatches } from '../../api/label-selector.ts';

type Selector = NonNullable<MultiClusterService['spec']['clusterSelector']>;
type Labels = Readonly<Record<string, string>>;

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: Selector = {}): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** Whether a selector matches labels. Unlike elsewhere in Kubernetes an empty one matches nothing. */
export function selects(selector: Selector | undefined, labels: Labels = {}): boolean {
  if (!selector || isEmptySelector(selector)) return false;
  return selectorMatches(selector, labels);
}

/** The ClusterDeployments that get the services: of all namespaces, or of that of a MultiClusterService which has one. */
export function selectClusters(mcs: MultiClusterService, deployments: readonly ClusterDeployment[]): ClusterDeployment[] {
  if (isEmptySelector(mcs.spec.clusterSelector)) return [];
  return deployments.filter(one => one.metadata.deletionTimestamp === undefined && isInReach(mcs, one));
}

/** Whether it would get the services while it stays. */
export function isInReach({ metadata: { namespace }, spec }: MultiClusterService, { metadata }: ClusterDeployment): boolean {
  return (namespace === undefined || namespace === metadata.namespace) && selects(spec.clusterSelector, metadata.labels ?? {});
}
