import { LRUCache } from 'lru-cache';
import type { Cluster } from '../../../api/cluster.ts';
import type { UserInfo } from '../../../auth/user.ts';
import type { Transport } from '../../../client/transport.ts';

const believedMs = 60_000;
const remembered = 5000;
const answerTimeoutMs = 5_000;

/** Where Harvester serves its own API. A Kubernetes API server knows no such path. */
export const harvesterRoot = '/v1/harvester';

export interface OwnHarvester {
  isServedBy(cluster: Cluster, caller: UserInfo): Promise<boolean>;
}

/**
 * Knows which members serve `/v1/harvester` themselves: those that are reached through the Rancher inside Harvester, as its own kubeconfigs do, and not those
 * whose Kubernetes API server is reached. It is asked as the hub, because an API server forbids others to ask for what it does not have.
 */
export function ownHarvester(transportOf: (cluster: Cluster, user: UserInfo) => Transport | Promise<Transport>): OwnHarvester {
  const known = new LRUCache<string, Promise<boolean>>({ max: remembered, ttl: believedMs });
  return {
    isServedBy(cluster, caller) {
      const key = cluster.metadata.uid ?? cluster.metadata.name ?? '';
      let answer = known.get(key);
      if (!answer) {
        const asked = ask(cluster, caller);
        known.set(key, (answer = asked));
        asked.catch(() => {
          if (known.peek(key) === asked) known.delete(key);
        });
      }
      return answer;
    },
  };

  async function ask(cluster: Cluster, caller: UserInfo): Promise<boolean> {
    const way = await transportOf(cluster, caller);
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const { status, body } = await way.request({ method: 'GET', path: harvesterRoot, answerTimeoutMs, signal });
    body.on('error', () => {}).destroy();
    return status >= 200 && status <= 299;
  }
}
