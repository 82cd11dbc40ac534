import { StatusError } from '../../api/status.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { fetchApiResources, type ApiResource } from '../../client/api-resources.ts';
import type { DiscoveryCache } from './discovery-cache.ts';
import { UnknownTypeError } from './resource-arguments.ts';

/** An API to read from: the hub, or a member through it. */
export interface ApiSource {
  /** The name of the member. Undefined for the hub. */
  readonly cluster: string | undefined;
  /** Looked in instead of the namespace that was asked for. */
  readonly namespace?: string;
  readonly client: KubeClient;
  readonly cache: DiscoveryCache;
}

/** Runs `use` with what the API serves. When that may have changed since it was last asked, it is asked and `use` runs once more. */
export async function withResources<T>(
  { client, cache }: ApiSource,
  signal: AbortSignal,
  use: (resources: readonly ApiResource[], isFresh: boolean) => Promise<T>,
): Promise<T> {
  const kept = cache.read();
  if (kept) {
    try {
      return await use(kept, false);
    } catch (error) {
      if (!mayBeOutdated(error)) throw error;
    }
  }
  const resources = await fetchApiResources(client, signal);
  cache.write(resources);
  return use(resources, true);
}

/** True when asking anew what the API serves may help. */
export function mayBeOutdated(error: unknown): boolean {
  if (error instanceof UnknownTypeError) return true;
  return error instanceof StatusError && error.code === 404 && error.details?.name === undefined;
}
