import type { Cluster } from '../../../api/cluster.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { CloudProvider } from '../kinds/cloud-provider.ts';
import { hubClusters } from './hub-clusters.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import type { ProviderClusters } from './provider-clusters.ts';
import { runProviderController } from './provider-controller.ts';
import { providerReasons, RancherError } from './rancher-error.ts';
import { rancherSessions } from './rancher-sessions.ts';
import { providerSync } from './sync-provider.ts';

export interface ProvidersDeps {
  readonly hub: KubeClient;
  readonly providers: Informer<CloudProvider>;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly signal: AbortSignal;
}

/** Where clusters come from: what runs ask, and the controller that keeps providers up to date. */
export function runProviders({ hub, providers, clusters, signal }: ProvidersDeps): {
  readonly providerClusters: ProviderClusters;
  /** The clusters of a provider as it was last asked; undefined before that. */
  clustersOf(provider: CloudProvider): readonly ResolvedCluster[] | undefined;
  readonly controllers: readonly RunningController[];
} {
  const sessions = rancherSessions(hub);
  const look = providerSync({ hub, clusters, sessions });
  const known = new Map<string, readonly ResolvedCluster[]>();
  const sync: typeof look = async (provider, stop) => {
    const synced = await look(provider, stop);
    known.set(provider.metadata.uid ?? '', synced.clusters);
    return synced;
  };
  return {
    providerClusters: {
      async list({ name, type }, stop) {
        if (type === 'Drover') return hubClusters(clusters);
        const provider = await hub.get(CloudProvider, { name }, { signal: stop });
        if (!provider) throw new RancherError(providerReasons.credentialMissing, `there is no CloudProvider "${name}"`);
        return (await sync(provider, stop)).clusters;
      },
    },
    clustersOf: ({ metadata, spec }) => (spec.type === 'Drover' ? hubClusters(clusters) : known.get(metadata.uid ?? '')),
    controllers: [runProviderController({ hub, providers, clusters, sessions, sync, signal })],
  };
}
