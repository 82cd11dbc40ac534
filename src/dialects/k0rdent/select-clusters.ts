import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { selectorMatches } from './selector-matches.ts';

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

/** The ClusterDeployments, of all namespaces, that get the services. */
export function selectClusters({ spec }: MultiClusterService, deployments: readonly ClusterDeployment[]): ClusterDeployment[] {
  if (isEmptySelector(spec.clusterSelector)) return [];
  return deployments.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined && selects(spec.clusterSelector, metadata.labels ?? {}),
  );
}
