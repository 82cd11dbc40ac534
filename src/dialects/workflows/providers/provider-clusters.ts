import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import type { RunSnapshot } from '../inputs/run-snapshot.ts';

/** Asks providers which clusters they have. */
export interface ProviderClusters {
  /** As they are at this moment, in the order of the provider. Throws RancherError when it cannot be asked. */
  list(provider: RunSnapshot['provider'], signal: AbortSignal): Promise<readonly ResolvedCluster[]>;
}
