import type { Cluster } from '../../../api/cluster.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { RunningController } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { CloudProvider } from '../kinds/cloud-provider.ts';
import { hubClusters } from './hub-clusters.ts';
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
  readonly controllers: readonly RunningController[];
} {
  const sessions = rancherSessions(hub);
  const sync = providerSync({ hub, clusters, sessions });
  return {
    providerClusters: {
      async list({ name, type }, stop) {
        if (type === 'Drover') return hubClusters(clusters);
        const provider = await hub.get(CloudProvider, { name }, { signal: stop });
        if (!provider) throw new RancherError(providerReasons.credentialMissing, `there is no CloudProvider "${name}"`);
        return (await sync(provider, stop)).clusters;
      },
    },
    controllers: [runProviderController({ hub, providers, clusters, sessions, sync, signal })],
  };
}
