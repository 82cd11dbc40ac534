import { clustersInWords, type ResolvedCluster } from './resolved-cluster.ts';

/** What a step of the cluster resolution says, to the letter. `who` is Rancher or Drover. */
export const resolveMessages = {
  fetching: (who: string, url: string | undefined): string =>
    `Fetching list of clusters and labels from ${who}${url === undefined ? '' : `: ${url}`}`,
  fetched: (clusters: readonly Pick<ResolvedCluster, 'id' | 'name'>[]): string => `Fetched clusters list: ${clustersInWords(clusters)}`,
  eligible: (clusters: readonly Pick<ResolvedCluster, 'id' | 'name'>[]): string =>
    `Eligible clusters list after applying label filters: ${clustersInWords(clusters)}`,
  keptAway: (cluster: Pick<ResolvedCluster, 'id' | 'name'>, why: string): string => `Left out ${clustersInWords([cluster])}: ${why}`,
  alreadyDone: (clusters: readonly Pick<ResolvedCluster, 'id' | 'name'>[]): string =>
    `Cluster Resolution is already done. Filtered clusters list: ${clustersInWords(clusters)}. Skipping.`,
  emptyList: (who: string): string => `${who} returned an empty list of clusters.`,
  noneEligible: 'No eligible cluster found after filtering',
  providerFailed: (who: string, text: string): string => `Error while fetching clusters data from ${who}. Exception: ${text}`,
  notResolved:
    "Could not find a rancher resolved cluster to execute this step. Ensure there is a 'Rancher Resolve Clusters' step in the workflow before this",
  wrongInfrastructure: 'Step type is only supported with Rancher cloud provider based Infrastructure Definition',
} as const;
