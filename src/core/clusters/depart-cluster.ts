import { Namespace } from '../../api/builtin-kinds.ts';
import { Cluster, clusterAnnotations, clusterFinalizer } from '../../api/cluster.ts';
import { StatusError } from '../../api/status.ts';
import { removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { UnreachableError } from '../../client/transport.ts';
import { requeue, settled, type Context, type Outcome } from '../../runtime/controller.ts';
import { log } from '../../runtime/log.ts';
import { removeWorks } from '../works/remove-works.ts';
import { removeAgent } from '../registration/remove-agent.ts';
import { clusterId } from './cluster-id.ts';
import { removeOwnAccount } from './ensure-member-account.ts';
import { credentialSecretName } from './join-member.ts';

export interface DepartureDeps {
  readonly hub: KubeClient;
  /** Throws where there is no way to the member. */
  client(): KubeClient;
  /** Whether an agent is there, for Tunnel. */
  readonly isConnected: boolean;
}

const memberCallMs = 10_000;
const retryMs = 5_000;
/** After this a member that does not answer keeps what was put on it. */
const patienceMs = 60_000;
const namespacePollMs = 2_000;
const worksPollMs = 1_000;

/**
 * Takes a cluster out of the hub: first what was delivered to the member, then what the hub put there itself, for both of which it still needs the
 * credential, then the namespace that holds the credential, then the Cluster.
 */
export async function departCluster(cluster: Cluster, deps: DepartureDeps, ctx: Context): Promise<Outcome> {
  if (!cluster.metadata.finalizers?.includes(clusterFinalizer)) return settled;
  const { hub } = deps;
  const call = { signal: ctx.signal };
  const id = clusterId(cluster);
  const namespace = await hub.get(Namespace, { name: id }, call);
  const isHeld = namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
  if (isHeld) {
    const isServed = cluster.spec.connection.mode !== 'Tunnel' || deps.isConnected;
    if (!(await removeWorks(hub, { cluster, namespace: id, isServed }, ctx))) return requeue(worksPollMs);
    const isClean = await cleanMember(cluster, deps, ctx);
    if (!isClean) return requeue(retryMs);
    await hub.delete(Namespace, { name: id }, { ...call, preconditions: preconditionsOf(namespace) });
  }
  if (namespace && (await hub.get(Namespace, { name: id }, call))) return requeue(namespacePollMs);
  await removeFinalizer(hub, Cluster, cluster, clusterFinalizer, call);
  return settled;
}

/** False when it is worth trying again. */
async function cleanMember(cluster: Cluster, deps: DepartureDeps, { now, signal }: Context): Promise<boolean> {
  if (!needsCleaning(cluster, deps)) return true;
  try {
    const call = { signal, timeoutMs: memberCallMs };
    if (cluster.spec.connection.mode === 'Tunnel') await removeAgent(deps.client(), clusterId(cluster), call);
    else await removeOwnAccount(deps.client(), clusterId(cluster), call);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    const askedAt = Date.parse(cluster.metadata.deletionTimestamp ?? '');
    if (mayPass(error) && now.getTime() - askedAt < patienceMs) return false;
    log.warn('cluster left without cleaning up on it', { cluster: cluster.metadata.name!, err: error });
    return true;
  }
}

/** Without its credential, or without rights, the hub will never be able to. */
function mayPass(error: unknown): boolean {
  return error instanceof StatusError ? error.code !== 401 && error.code !== 403 : error instanceof UnreachableError;
}

/** A sandbox goes as a whole, and an agent that is away finds out when it comes back. */
function needsCleaning({ metadata, spec }: Cluster, { isConnected }: DepartureDeps): boolean {
  if (metadata.annotations?.[clusterAnnotations.forceRemoval] === 'true') return false;
  const { mode, secretName } = spec.connection;
  // Others who make Clusters, such as Karmada, have accounts of their own on the member.
  return mode === 'Direct' ? secretName === credentialSecretName : mode === 'Tunnel' && isConnected;
}

function preconditionsOf({ metadata: { uid } }: Namespace): { uid?: string } {
  return uid === undefined ? {} : { uid };
}
