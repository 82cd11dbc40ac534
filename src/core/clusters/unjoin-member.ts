import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { clusterId } from './cluster-id.ts';
import { removeMemberAccount } from './ensure-member-account.ts';
import { readClusterUid, removeCluster } from './join-member.ts';

export interface UnjoinRequest {
  readonly name: string;
  /** Leaves the member as it is, for one that is gone. */
  readonly isForced: boolean;
  /** With somebody else's rights: cleans up where the hub has lost its own. */
  readonly member?: KubeClient | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The hub has no cluster of that name. */
export class NoSuchClusterError extends Error {}

/** The member does not answer, so that nothing can be cleaned up on it. */
export class MemberLostError extends Error {}

/** The cluster is asked to go, and has not gone in time. */
export class StillLeavingError extends Error {}

const pollMs = 250;

/** Ends the membership of a cluster on both sides and waits until it is gone. Run again after it was killed, it goes on. */
export async function unjoinMember(hub: KubeClient, request: UnjoinRequest): Promise<void> {
  const { isForced, member, signal } = request;
  const cluster = await checkUnjoin(hub, request);
  await removeCluster(hub, cluster, { isForced: isForced || member !== undefined, signal });
  await waitUntilGone(hub, cluster, request);
  if (member) await removeMemberAccount(member, clusterId(cluster), { signal });
}

/** Throws what would keep a membership from being ended. With `asksHub` the hub also says whether it would. Changes nothing. */
export async function rehearseUnjoin(hub: KubeClient, request: UnjoinRequest, { asksHub }: { asksHub: boolean }): Promise<void> {
  const { isForced, member, signal } = request;
  const cluster = await checkUnjoin(hub, request);
  if (asksHub) await removeCluster(hub, cluster, { isForced: isForced || member !== undefined, signal, dryRun: true });
}

async function checkUnjoin(hub: KubeClient, { name, isForced, member, signal }: UnjoinRequest): Promise<Cluster> {
  const cluster = await hub.get(Cluster, { name }, { signal });
  if (!cluster) throw new NoSuchClusterError(`there is no cluster "${name}"`);
  refuseIfOwned(cluster);
  if (member) await refuseIfOther(cluster, member, signal);
  else if (!isForced) refuseIfLost(cluster);
  return cluster;
}

/** Whoever made it would make it again. */
function refuseIfOwned({ metadata }: Cluster): void {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return;
  throw new Error(`cluster "${metadata.name}" belongs to ${owner.kind} "${owner.name}" of ${owner.apiVersion}; remove that one instead`);
}

async function refuseIfOther({ metadata, status }: Cluster, member: KubeClient, signal: AbortSignal): Promise<void> {
  const uid = await readClusterUid(member, { signal });
  if (status?.uid === undefined || status.uid === uid) return;
  throw new Error(`the kubeconfig leads to another cluster than "${metadata.name}"`);
}

function refuseIfLost(cluster: Cluster): void {
  const connected = findCondition(cluster, clusterConditions.connected);
  if (cluster.spec.connection.mode !== 'Direct' || connected?.status !== 'False') return;
  throw new MemberLostError(`cannot clean up on cluster "${cluster.metadata.name}": ${connected.message}`);
}

async function waitUntilGone(hub: KubeClient, { metadata }: Cluster, { name, timeoutMs, signal }: UnjoinRequest): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; ; await sleep(pollMs, undefined, { signal })) {
    const present = await hub.get(Cluster, { name }, { signal });
    if (present?.metadata.uid !== metadata.uid) return;
    if (Date.now() < deadline) continue;
    const why = findCondition(present, clusterConditions.ready)?.message ?? 'the hub has not said why';
    throw new StillLeavingError(`cluster "${name}" is still being removed: ${why}`);
  }
}
