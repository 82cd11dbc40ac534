import type { TestContext } from 'node:test';
import { Cluster } from '../../src/api/cluster.ts';
import type { DeclaredKind } from '../../src/api/define-kind.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { UnreachableError } from '../../src/client/transport.ts';
import type { Agents } from '../../src/core/clusters/ask-member.ts';
import { runClusterController } from '../../src/core/clusters/cluster-controller.ts';
import { clusterIndexes } from '../../src/core/clusters/cluster-indexes.ts';
import { informer, type Informer } from '../../src/runtime/informer.ts';
import { startMemoryHub } from './memory-hub.ts';
import { startMemoryServer, type MemoryServer } from './memory-server.ts';

export interface MemberWorld {
  readonly hub: MemoryServer;
  readonly member: MemoryServer;
  readonly clusters: Informer<Cluster>;
  readonly signal: AbortSignal;
  /** Cuts the wire between the two. */
  cut(): void;
  mend(): void;
  read(name: string): Promise<Cluster | undefined>;
}

/** A hub with the controller running, and one member behind every name. */
export async function startMemberWorld(
  t: TestContext,
  kinds: readonly DeclaredKind[] = [],
  { agents }: { agents?: Agents } = {},
): Promise<MemberWorld> {
  const hub = await startMemoryHub(t, [Cluster, ...kinds]);
  const member = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  let isCut = false;
  const listeners = new Set<(name: string) => void>();
  const guarded: KubeClient = {
    ...member.client,
    request: req => (isCut ? Promise.reject(new UnreachableError('the wire is cut')) : member.client.request(req)),
    get: (...args) => (isCut ? Promise.reject(new UnreachableError('the wire is cut')) : member.client.get(...args)),
  };
  const clusters = informer(hub.client, Cluster, { signal: stop.signal, indexes: clusterIndexes });
  const tell = () => listeners.forEach(listener => listener('east'));
  runClusterController({
    hub: hub.client,
    clusters,
    members: {
      client: () => guarded,
      subscribe(listener) {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    },
    ...(agents && { agents }),
    signal: stop.signal,
  });
  return {
    hub,
    member,
    clusters,
    signal: stop.signal,
    cut() {
      isCut = true;
      tell();
    },
    mend() {
      isCut = false;
      tell();
    },
    read: name => hub.client.get(Cluster, { name }),
  };
}
