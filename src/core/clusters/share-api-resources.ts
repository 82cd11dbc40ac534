import type { Cluster } from '../../api/cluster.ts';
import type { ClusterStatus } from './decide-status.ts';

export type ApiResources = NonNullable<ClusterStatus['apiResources']>;

const shared = new Map<string, WeakRef<ApiResources>>();
const forgotten = new FinalizationRegistry<string>(text => {
  if (!shared.get(text)?.deref()) shared.delete(text);
});

/** The same list for all who serve the same kinds: a thousand clusters of one version would otherwise hold it a thousand times. */
export function shareApiResources(apiResources: ApiResources): ApiResources {
  const text = JSON.stringify(apiResources);
  const known = shared.get(text)?.deref();
  if (known) return known;
  shared.set(text, new WeakRef(apiResources));
  forgotten.register(apiResources, text);
  return apiResources;
}

/** A Cluster for keeping in memory. */
export function keepOfCluster(cluster: Cluster): Cluster {
  const { status } = cluster;
  return status?.apiResources ? { ...cluster, status: { ...status, apiResources: shareApiResources(status.apiResources) } } : cluster;
}
