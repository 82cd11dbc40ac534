import { Namespace } from '../../api/builtin-kinds.ts';
import { Cluster, clusterAnnotations } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { createMissing } from '../../client/create-missing.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';
import type { Transport } from '../../client/transport.ts';
import type { Informer } from '../../runtime/informer.ts';
import { ensureClusterNamespace } from './cluster-namespace.ts';
import type { WayOpener } from './member-directory.ts';

/** The name, the id and the namespace of the Cluster that is the hub itself. */
export const localClusterName = 'local';

/** The hub itself cannot be a target until somebody changes something. */
export class LocalClusterError extends Error {
  override name = 'LocalClusterError';
}

/** The Cluster that is the hub itself, once somebody has needed it. */
export function findLocalCluster(clusters: Pick<Informer<Cluster>, 'get'>): Cluster | undefined {
  const cluster = clusters.get(localClusterName);
  return cluster?.spec.connection.mode === 'Local' ? cluster : undefined;
}

/**
 * The hub itself as a member, made when it is needed for the first time. Whoever may write Works in its namespace may do everything on the hub, so a
 * namespace of that name that somebody else made, and has given rights in, is not taken.
 */
export async function ensureLocalCluster(hub: KubeClient, clusters: Pick<Informer<Cluster>, 'get'>, signal: AbortSignal): Promise<Cluster> {
  const present = findLocalCluster(clusters);
  if (present) return present;
  const name = localClusterName;
  await checkNamespace(hub, { signal });
  const cluster = await createMissing(hub, Cluster, localCluster(), { signal });
  if (cluster.spec.connection.mode !== 'Local')
    throw new LocalClusterError(`the hub cannot deliver to itself: it needs the name "${name}", which another cluster has`);
  await ensureClusterNamespace(hub, cluster, { signal });
  return cluster;
}

async function checkNamespace(hub: KubeClient, call: CallOptions): Promise<void> {
  const name = localClusterName;
  const namespace = await hub.get(Namespace, { name }, call);
  if (namespace && namespace.metadata.annotations?.[clusterAnnotations.cluster] !== name)
    throw new LocalClusterError(`the hub cannot deliver to itself: it needs the namespace "${name}", which is somebody else's`);
}

const localCluster = (): Cluster => newObject(Cluster, { name: localClusterName }, { id: localClusterName, connection: { mode: 'Local' } });

/** The namespace of the hub itself, also while it is no member. Throws LocalClusterError when it is somebody else's. */
export async function ensureLocalNamespace(hub: KubeClient, call: CallOptions): Promise<void> {
  await checkNamespace(hub, call);
  await ensureClusterNamespace(hub, localCluster(), call);
}

/** The way to the hub itself: its own client, which outlives every Cluster, and `upgrade` for connections that leave HTTP. */
export function localWay(hub: KubeClient, upgrade: Transport['upgrade']): WayOpener {
  const transport: Transport = {
    request: req => hub.request(req),
    upgrade,
    async [Symbol.asyncDispose]() {},
  };
  const client: KubeClient = { ...hub, async [Symbol.asyncDispose]() {} };
  return {
    open({ metadata }) {
      if (metadata.name !== localClusterName) throw new Error(`only the cluster "${localClusterName}" is the hub itself`);
      return { transport, client };
    },
  };
}
