import { Secret } from '../../api/builtin-kinds.ts';
import { Cluster, clusterAnnotations } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf } from '../../runtime/key.ts';
import { adoptCluster, kubeconfigDigest, renewCluster } from './adopt-cluster.ts';
import { clusterDeploymentAnnotation, clusterDeploymentIndex } from './cluster-of.ts';
import { configOf, deploymentUidLabel, labelsOf } from './deployment-config.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace } from './kinds/group.ts';

/** The cluster of a ClusterDeployment cannot be had until somebody changes something. */
export class ClusterError extends Error {
  override name = 'ClusterError';
}

/** On a Cluster that was there before its ClusterDeployment, and stays when that goes: "true". */
export const claimedAnnotation = 'k0rdent.mirantis.com/claimed';

/** On a Cluster that was joined with a kubeconfig: the digest of that, so that another one is noticed. */
const kubeconfigAnnotation = 'k0rdent.mirantis.com/kubeconfig';

export interface DeployedClusterDeps {
  readonly hub: KubeClient;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
}

export interface DeployRequest {
  readonly cd: ClusterDeployment;
  readonly mode: 'adopted' | 'sandbox';
  /** The kubeconfig of the cluster to adopt. Absent: it is a member already. */
  readonly secret: KubeObject | undefined;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-clusters';
const joinMs = 30_000;

/** The Cluster of a ClusterDeployment, which is made, joined or claimed when there is none yet. Throws ClusterError. */
export async function deployCluster({ hub, clusters }: DeployedClusterDeps, request: DeployRequest): Promise<Cluster> {
  const { cd, mode, secret, signal } = request;
  const present = clusterOfDeployment(clusters, cd);
  if (present) return secret ? renewed(hub, present, secret as Secret, signal) : present;
  if (mode === 'sandbox') return makeSandbox(hub, cd, nameFor(clusters, cd), signal);
  if (!secret) return claim(hub, clusters, cd, signal);
  // An earlier join may have been cut short at any point.
  const begun = joinedFor(clusters, cd);
  const annotations = { [clusterDeploymentAnnotation]: keyOf(cd), [kubeconfigAnnotation]: kubeconfigDigest(secret as Secret) };
  if (begun && begun.metadata.annotations?.[clusterAnnotations.joining] === undefined) return mark(hub, begun, annotations, signal);
  const name = begun?.metadata.name ?? nameFor(clusters, cd);
  const labels = { ...labelsOf(cd), [deploymentUidLabel]: cd.metadata.uid! };
  let cluster: Cluster;
  try {
    cluster = await adoptCluster(hub, { name, labels, secret: secret as Secret, timeoutMs: joinMs, signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new ClusterError(`cannot adopt the cluster: ${(cause as Error).message}`, { cause });
  }
  return mark(hub, cluster, annotations, signal);
}

/** Another kubeconfig for a cluster that is a member already: the way to it may be another, or the account of the hub have gone. */
async function renewed(hub: KubeClient, cluster: Cluster, secret: Secret, signal: AbortSignal): Promise<Cluster> {
  const known = cluster.metadata.annotations?.[kubeconfigAnnotation];
  const digest = kubeconfigDigest(secret);
  // One that was claimed came by another way, which stays.
  if (known === undefined || known === digest || cluster.metadata.deletionTimestamp !== undefined) return cluster;
  try {
    const present = await renewCluster(hub, cluster, secret, signal);
    return await mark(hub, present, { [kubeconfigAnnotation]: digest }, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new ClusterError(`cannot use the new kubeconfig: ${(cause as Error).message}`, { cause });
  }
}

export const clusterOfDeployment = (clusters: Informer<Cluster>, cd: ClusterDeployment): Cluster | undefined =>
  clusters.by(clusterDeploymentIndex, keyOf(cd))[0];

/** A cluster whose join for the ClusterDeployment was cut short before it was said whose it is. */
const joinedFor = (clusters: Informer<Cluster>, { metadata: { uid } }: ClusterDeployment): Cluster | undefined =>
  clusters
    .list()
    .find(
      ({ metadata: { labels, annotations } }) =>
        labels?.[deploymentUidLabel] === uid && annotations?.[clusterDeploymentAnnotation] === undefined,
    );

/** Short where there is nobody else of that name. */
function nameFor(clusters: Informer<Cluster>, { metadata: { namespace = '', name = '' } }: ClusterDeployment): string {
  const short = namespace === systemNamespace && !clusters.get(name) ? name : `${namespace}-${name}`;
  if (clusters.get(short)) throw new ClusterError(`there is another cluster "${short}" already`);
  return short;
}

async function makeSandbox(hub: KubeClient, cd: ClusterDeployment, name: string, signal: AbortSignal): Promise<Cluster> {
  const { nodes, nodeCapacity } = configOf(cd) as { nodes?: number; nodeCapacity?: Record<string, string> };
  const sandbox = { ...(nodes !== undefined && { nodes }), ...(nodeCapacity && { nodeCapacity }) };
  const metadata = { name, labels: { ...labelsOf(cd) }, annotations: { [clusterDeploymentAnnotation]: keyOf(cd) } };
  const spec = { connection: { mode: 'Sandbox' as const }, ...(Object.keys(sandbox).length > 0 && { sandbox }) };
  try {
    return await hub.create(Cluster, newObject(Cluster, metadata, spec), { fieldManager, signal });
  } catch (cause) {
    if (!(cause instanceof StatusError) || cause.reason !== 'Invalid') throw cause;
    throw new ClusterError(`no sandbox can be made of the config: ${cause.message}`, { cause });
  }
}

async function claim(hub: KubeClient, clusters: Informer<Cluster>, cd: ClusterDeployment, signal: AbortSignal): Promise<Cluster> {
  const { clusterName } = configOf(cd);
  const name = typeof clusterName === 'string' && clusterName !== '' ? clusterName : cd.metadata.name!;
  const cluster = clusters.get(name);
  if (!cluster) throw new ClusterError(`there is no cluster "${name}": join it, or name a Credential with its kubeconfig`);
  if (cluster.spec.connection.mode === 'Local')
    throw new ClusterError(`cluster "${name}" is the hub itself: a MultiClusterService with selfManagement delivers to it`);
  const owner = cluster.metadata.annotations?.[clusterDeploymentAnnotation];
  if (owner !== undefined && owner !== keyOf(cd)) throw new ClusterError(`cluster "${name}" belongs to ClusterDeployment ${owner}`);
  // Whoever may write ClusterDeployments in one namespace must not get at members that others brought.
  if (cd.metadata.namespace !== systemNamespace)
    throw new ClusterError(`only ClusterDeployments in namespace "${systemNamespace}" may claim a cluster by its name`);
  return mark(hub, cluster, { [clusterDeploymentAnnotation]: keyOf(cd), [claimedAnnotation]: 'true' }, signal);
}

function mark(hub: KubeClient, { metadata }: Cluster, annotations: Record<string, string | null>, signal: AbortSignal): Promise<Cluster> {
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  const body = { metadata: { uid, resourceVersion, annotations } };
  return hub.patch(Cluster, { name }, { type: 'merge', body }, { fieldManager, signal });
}

/** True when nothing of the cluster is left that came with the ClusterDeployment. */
export async function releaseCluster({ hub, clusters }: DeployedClusterDeps, cd: ClusterDeployment, signal: AbortSignal): Promise<boolean> {
  const cluster = clusterOfDeployment(clusters, cd) ?? joinedFor(clusters, cd);
  if (!cluster) return true;
  if (cluster.metadata.annotations?.[claimedAnnotation] === 'true') {
    await mark(hub, cluster, { [clusterDeploymentAnnotation]: null, [claimedAnnotation]: null }, signal);
    return true;
  }
  const { name = '', uid, deletionTimestamp } = cluster.metadata;
  if (deletionTimestamp === undefined)
    await hub.delete(Cluster, { name }, { signal, ...(uid !== undefined && { preconditions: { uid } }) });
  return false;
}
