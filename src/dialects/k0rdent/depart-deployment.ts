import { clusterAnnotations, clusterConditions, type Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { Work, workConditions, workFinalizer } from '../../api/work.ts';
import { removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { removeCluster } from '../../core/clusters/join-member.ts';
import type { Context } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf } from '../../runtime/key.ts';
import { errorText } from '../../util/error-text.ts';
import { capiClusterOf, capiCondition, summariseCapi } from './capi-cluster.ts';
import { cdConditions, type CdReport, type Step } from './cd-status.ts';
import { cleanChild } from './clean-child.ts';
import { chartWorkLabel } from './cluster-chart.ts';
import { workLabels } from './compile-works.ts';
import { claimedAnnotation, clusterOfDeployment, releaseCluster } from './deployed-cluster.ts';
import { releaseHeldObjects, type ReleaseHeldDeps } from './held-objects.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { servedKind } from './kinds/served-only.ts';
import { ServiceSet } from './kinds/service-set.ts';
import { byTarget } from './owned-sets.ts';
import { refTo, type ReadObject } from './read-hub-object.ts';

export interface DepartDeps extends ReleaseHeldDeps {
  readonly hub: KubeClient;
  /** With `ownedSetIndexes`. */
  readonly sets: Informer<ServiceSet>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  /** The ways to members. Throws where there is none. */
  readonly members: { client(name: string): KubeClient };
  /** The names of the MultiClusterServices on which one depends. */
  dependenciesOf(multiClusterService: string): readonly string[];
}

/** How far the departure of a ClusterDeployment is. */
export interface Departure extends Pick<CdReport, 'cloud' | 'capi'> {
  /** What it waits for. Absent: nothing is left. */
  readonly deleting?: { readonly reason: string; readonly message: string };
  /** When to look again though nothing changes. */
  readonly againMs?: number;
}

/** After this the cluster goes with the load balancers and volumes that it still has. */
const cleaningMs = 600_000;
const pollMs = 5_000;

/** Like `drover unjoin --force`: for a cluster that will not answer any more. */
export const isForced = ({ metadata }: ClusterDeployment): boolean => metadata.annotations?.[clusterAnnotations.forceRemoval] === 'true';

/**
 * Takes a ClusterDeployment apart: the services of all owners while there is a cluster to take them from, what it has outside of itself, its membership,
 * its chart, its place in a database, and its Cluster of Cluster API. Each step begins when the one before has ended, and may be begun again.
 */
export async function departDeployment(cd: ClusterDeployment, deps: DepartDeps, read: ReadObject, ctx: Context): Promise<Departure> {
  const { hub, clusters, works } = deps;
  const { signal } = ctx;
  const isHurried = isForced(cd);
  const cluster = clusterOfDeployment(clusters, cd);
  const capi = await summary(cd, read);
  const [work] = works.by('label', chartWorkLabel(cd));
  const infrastructure = await releaseHeldObjects(cd, deps, { read, isUninstalled: !work, isHurried, signal });
  const waits = (reason: string, message: string, more: Omit<Departure, 'deleting'> = {}): Departure => ({
    ...(capi && { capi }),
    // Nobody tells when the last of the Machines has gone.
    ...(infrastructure.length > 0 && { againMs: pollMs }),
    ...more,
    deleting: { reason, message },
  });

  const held = await removeSets(cd, deps, signal);
  if (held.length > 0) {
    if (isHurried) await abandon(cd, cluster, deps, signal);
    const hint = isHurried ? '' : hintFor(cluster);
    return waits('WaitingForServiceSetsDeletion', `Waiting for ServiceSets to be deleted: ${held.join(', ')}${hint}`);
  }

  const cloud = isHurried ? undefined : await clean(cd, cluster, deps, ctx);
  if (cloud?.status === 'Unknown') return waits('WaitingForCloudResourcesDeletion', cloud.message!, { cloud, againMs: pollMs });
  const cleaned = cloud && { cloud };

  if (isHurried && cluster && !isClaimed(cluster)) await abandon(cd, cluster, deps, signal);
  if (!(await releaseCluster(deps, cd, signal)))
    return waits('WaitingForClusterDeletion', `Waiting for cluster ${cluster?.metadata.name ?? ''} to leave the hub`, cleaned);

  if (work) {
    if (work.metadata.deletionTimestamp === undefined) await hub.delete(Work, targetOf(work), { signal });
    return waits('WaitingForHelmReleaseDeletion', `Waiting for HelmRelease to be deleted${whyHeld(work)}`, cleaned);
  }

  if (isHurried) return { ...(capi && { capi }) };
  const { namespace = '', name = '' } = cd.metadata;
  const kind = servedKind('ClusterDataSource');
  if (cd.spec.dataSource && (await read(refTo(kind, namespace, name)))) {
    await hub.delete(kind, { namespace, name }, { signal });
    return waits('WaitingForClusterDataSourceDeletion', `Waiting for ClusterDataSource ${namespace}/${name} to be deleted`, cleaned);
  }
  if (capi?.status === 'False')
    return waits('WaitingForClusterDeletion', `Waiting for CAPI Cluster to be deleted: ${capi.message}`, cleaned);
  if (infrastructure.length > 0)
    return waits('WaitingForClusterDeletion', `Waiting for the Machines that need ${infrastructure.join(', ')} to be deleted`, cleaned);
  return { ...(capi && { capi }), ...cleaned };
}

async function summary(cd: ClusterDeployment, read: ReadObject): Promise<Departure['capi']> {
  const ref = capiClusterOf(cd);
  if (!ref) return undefined;
  return summariseCapi({ cluster: await read(ref), before: goneLater(cd), isLeaving: true });
}

/** One that is missing has gone, however it went. */
function goneLater(cd: ClusterDeployment) {
  const before = findCondition(cd, capiCondition);
  return before && { ...before, reason: before.reason === 'DeletionCompleted' ? before.reason : 'Deleting' };
}

/** Asks for the removal of the ServiceSets, dependents first. Answers which are still there, and why. */
async function removeSets(cd: ClusterDeployment, deps: DepartDeps, signal: AbortSignal): Promise<string[]> {
  const left = deps.sets.by(byTarget, keyOf(cd));
  for (const { metadata } of removableSets(left, deps)) {
    if (metadata.deletionTimestamp === undefined)
      await deps.hub.delete(ServiceSet, { namespace: metadata.namespace, name: metadata.name! }, { signal });
  }
  return left.map(set => `${set.metadata.name}${whyHeld(...worksOf(set, deps))}`).sort();
}

/** Those on which none of the others depends; all, should they depend on each other in a circle. */
export function removableSets(left: readonly ServiceSet[], { dependenciesOf }: Pick<DepartDeps, 'dependenciesOf'>): readonly ServiceSet[] {
  const needed = new Set(left.flatMap(({ spec }) => (spec.multiClusterService ? dependenciesOf(spec.multiClusterService) : [])));
  const free = left.filter(({ spec }) => !needed.has(spec.multiClusterService ?? ''));
  return free.length > 0 ? free : left;
}

const worksOf = ({ metadata }: ServiceSet, { works }: DepartDeps): Work[] => works.by('label', `${workLabels.set}=${metadata.uid}`);

/** What the member says of the Works that do not go. */
function whyHeld(...works: readonly Work[]): string {
  const reasons = works.flatMap(work => {
    const removed = findCondition(work, workConditions.removed);
    return work.metadata.deletionTimestamp !== undefined && removed?.status !== 'True' && removed?.message ? [removed.message] : [];
  });
  return reasons.length === 0 ? '' : ` (${[...new Set(reasons)].sort().join('; ')})`;
}

function hintFor(cluster: Cluster | undefined): string {
  const connected = cluster && findCondition(cluster, clusterConditions.connected);
  if (connected?.status !== 'False') return '';
  return `. Cluster ${cluster!.metadata.name} does not answer: ${connected.message}. The annotation ${clusterAnnotations.forceRemoval}=true on the ClusterDeployment leaves there what is there`;
}

/** Nothing is taken off the cluster: it leaves the hub as it is, or, where it stays a member, what was delivered is forgotten. */
async function abandon(cd: ClusterDeployment, cluster: Cluster | undefined, deps: DepartDeps, signal: AbortSignal): Promise<void> {
  const { hub, sets } = deps;
  if (cluster && !isClaimed(cluster)) {
    const { annotations, deletionTimestamp } = cluster.metadata;
    const isAsked = deletionTimestamp !== undefined && annotations?.[clusterAnnotations.forceRemoval] === 'true';
    return isAsked ? undefined : removeCluster(hub, cluster, { isForced: true, signal });
  }
  for (const work of sets.by(byTarget, keyOf(cd)).flatMap(set => worksOf(set, deps))) {
    await hub.delete(Work, targetOf(work), { signal });
    const present = await hub.get(Work, targetOf(work), { signal });
    if (present) await removeFinalizer(hub, Work, present, workFinalizer, { signal });
  }
}

const isClaimed = ({ metadata }: Cluster): boolean => metadata.annotations?.[claimedAnnotation] === 'true';

/** Best effort, and not for ever. Unknown: it is worth another try. */
async function clean(cd: ClusterDeployment, cluster: Cluster | undefined, deps: DepartDeps, ctx: Context): Promise<Step | undefined> {
  if (cd.spec.cleanupOnDeletion !== true) return undefined;
  const before = findCondition(cd, cdConditions.cloud);
  // The cluster is about to go, or has gone.
  if (before?.reason === 'Succeeded' || before?.reason === 'Failed') return { status: before.status, message: before.message };
  if (!cluster) return { status: 'True' };
  const isLate = ctx.now.getTime() - Date.parse(cd.metadata.deletionTimestamp ?? '') >= cleaningMs;
  try {
    const left = await cleanChild(deps.members.client(cluster.metadata.name!), ctx.signal);
    if (left.length === 0) return { status: 'True' };
    const message = `Waiting for cloud resources to be deleted: ${firstOf(left)}`;
    return { status: isLate ? 'False' : 'Unknown', message };
  } catch (error) {
    ctx.signal.throwIfAborted();
    return { status: isLate ? 'False' : 'Unknown', message: `failed to delete cloud resources: ${errorText(error)}` };
  }
}

function firstOf(names: readonly string[]): string {
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `${names.slice(0, 3).join(', ')}${more}`;
}

const targetOf = ({ metadata: { name = '', namespace } }: Work) => ({ name, namespace });
