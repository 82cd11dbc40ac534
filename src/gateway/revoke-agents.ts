import { Secret } from '../api/builtin-kinds.ts';
import type { Cluster } from '../api/cluster.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { clusterId } from '../core/clusters/cluster-id.ts';
import { agentKeysLabel, agentKeysName, readAgentKeys } from '../core/registration/agent-keys.ts';
import { informer, type Informer } from '../runtime/informer.ts';
import type { TunnelSessions } from '../tunnel/tunnel-sessions.ts';

export interface RevocationDeps {
  readonly hub: KubeClient;
  readonly clusters: Informer<Cluster>;
  readonly sessions: Pick<TunnelSessions, 'end'>;
  readonly signal: AbortSignal;
  onError?(error: unknown): void;
}

/** Closes the tunnels of agents whose cluster was removed or whose identity was taken away, at once. */
export function revokeAgents({ hub, clusters, sessions, signal, onError }: RevocationDeps): void {
  const removals = clusters.subscribe(({ type, object }) => {
    if (type === 'DELETED') endSession(clusterId(object));
  });
  const identities = informer(hub, Secret, { labelSelector: agentKeysLabel, signal, ...(onError && { onError }) });
  const revocations = identities.subscribe(({ type, object, old }) => {
    const { name, namespace = '' } = object.metadata;
    const hasMoved = type === 'MODIFIED' && readAgentKeys(object)?.clusterUid !== readAgentKeys(old)?.clusterUid;
    if (name === agentKeysName && (type === 'DELETED' || hasMoved)) endSession(namespace);
  });
  signal.addEventListener('abort', () => {
    removals[Symbol.dispose]();
    revocations[Symbol.dispose]();
  });

  /** The identity of a cluster that is being removed goes first, with its namespace. */
  function endSession(id: string): void {
    const isLeaving = clusters.by('id', id).every(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (isLeaving) sessions.end(id, 'removed', 'the cluster was removed from the hub');
    else sessions.end(id, 'identityRefused', 'the identity of the agent was revoked');
  }
}
