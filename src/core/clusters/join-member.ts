import { setTimeout as sleep } from 'node:timers/promises';
import { Namespace, Secret } from '../../api/builtin-kinds.ts';
import { Cluster, clusterAnnotations, clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { qualifiedResource } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { CallOptions, KubeClient, WriteOptions } from '../../client/kube-client.ts';
import { clusterId } from './cluster-id.ts';
import { ensureClusterNamespace } from './cluster-namespace.ts';
import { ensureMemberAccount, removeMemberAccount } from './ensure-member-account.ts';
import { checkRights } from './check-rights.ts';

export interface JoinRequest {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** How the hub is to reach the member. */
  readonly connection: Omit<Cluster['spec']['connection'], 'mode' | 'secretName'> & { readonly server: string };
  /** How long the hub may take to reach the member. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Hears each step before it is taken. */
  onStep?(what: string): void;
}

/** The Secret in the namespace of a cluster that holds the token of the hub's account on it. */
export const credentialSecretName = 'cluster-credential';

const pollMs = 250;
const kindsWaitMs = 10_000;
const rollbackMs = 30_000;

/**
 * Makes a cluster a member: an account of the hub's own on it, whose token is all that the hub keeps. May be run again after it was killed at any
 * point, and then completes what is there. When it fails it takes everything back and throws.
 */
export async function joinMember(hub: KubeClient, member: KubeClient, request: JoinRequest): Promise<Cluster> {
  const call = { signal: request.signal };
  const { uid, begun } = await checkJoin(hub, member, request);
  const cluster = begun ?? (await createCluster(hub, request, uid, call));
  try {
    return await completeJoin(hub, member, cluster, request);
  } catch (error) {
    await takeBack(hub, member, cluster).catch((cause: unknown) => {
      throw new AggregateError([error, cause], `joining failed, and so did taking it back: run "drover unjoin ${request.name} --force"`, {
        cause: error,
      });
    });
    throw error;
  }
}

/** Throws what would keep a join from beginning. With `asksHub` the hub also says whether it would take the Cluster. Changes nothing. */
export async function rehearseJoin(
  hub: KubeClient,
  member: KubeClient,
  request: JoinRequest,
  { asksHub }: { asksHub: boolean },
): Promise<void> {
  const { uid, begun } = await checkJoin(hub, member, request);
  if (asksHub && !begun) await createCluster(hub, request, uid, { signal: request.signal, dryRun: true });
}

async function checkJoin(
  hub: KubeClient,
  member: KubeClient,
  { name, signal }: JoinRequest,
): Promise<{ uid: string; begun: Cluster | undefined }> {
  const uid = await readClusterUid(member, { signal });
  await checkRights(member, { signal });
  return { uid, begun: await findBegunJoin(hub, name, uid, { signal }) };
}

/** No two clusters have the same, whatever their addresses and names are. */
export async function readClusterUid(member: KubeClient, call: CallOptions): Promise<string> {
  const namespace = await member.get(Namespace, { name: 'kube-system' }, call);
  if (!namespace?.metadata.uid) throw new Error('the cluster has no namespace "kube-system", by which clusters are told apart');
  return namespace.metadata.uid;
}

/** A join of the same cluster under the same name that was begun and never ended. Throws when the name or the cluster is taken. */
async function findBegunJoin(hub: KubeClient, name: string, uid: string, call: { signal: AbortSignal }): Promise<Cluster | undefined> {
  const items = await listClusters(hub, call);
  const sameName = items.find(one => one.metadata.name === name);
  const joining = (one: Cluster) => one.metadata.annotations?.[clusterAnnotations.joining];
  if (sameName?.metadata.deletionTimestamp !== undefined) throw new Error(`cluster "${name}" is being removed; try again when it is gone`);
  if (sameName && joining(sameName) === uid) return sameName;

  const sameCluster = items.find(one => one.status?.uid === uid || joining(one) === uid);
  if (sameCluster) {
    const how = joining(sameCluster) === uid ? 'is being joined already, as' : 'is a member already, as';
    throw new Error(`this cluster ${how} "${sameCluster.metadata.name}"`);
  }
  if (sameName)
    throw new Error(`there is another cluster "${name}" already; choose another name, or remove it with "drover unjoin ${name}"`);
  return undefined;
}

/** A hub that has just started does not serve its kinds yet. */
async function listClusters(hub: KubeClient, call: { signal: AbortSignal }): Promise<Cluster[]> {
  for (const deadline = Date.now() + kindsWaitMs; ; await sleep(pollMs, undefined, call)) {
    try {
      return (await hub.list(Cluster, call)).items;
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
      if (Date.now() > deadline)
        throw new Error(`this API server is no hub: it does not serve ${qualifiedResource(Cluster)}`, { cause: error });
    }
  }
}

function createCluster(hub: KubeClient, { name, labels, connection }: JoinRequest, uid: string, call: WriteOptions): Promise<Cluster> {
  const metadata = { name, labels: { ...labels }, annotations: { [clusterAnnotations.joining]: uid } };
  return hub.create(
    Cluster,
    newObject(Cluster, metadata, { connection: { mode: 'Direct', ...connection, secretName: credentialSecretName } }),
    call,
  );
}

async function completeJoin(hub: KubeClient, member: KubeClient, cluster: Cluster, request: JoinRequest): Promise<Cluster> {
  const { name, signal, onStep } = request;
  const call = { signal };
  const id = clusterId(cluster);
  onStep?.('making an account for the hub on the cluster');
  const { token } = await ensureMemberAccount(member, id, call);

  onStep?.('giving its token to the hub');
  await ensureClusterNamespace(hub, cluster, call);
  await hub.apply(
    Secret,
    { metadata: { namespace: id, name: credentialSecretName }, type: 'Opaque', data: { token: Buffer.from(token).toString('base64') } },
    call,
  );
  onStep?.('waiting for the hub to reach the cluster');
  await waitUntilConnected(hub, name, request);
  const body = { metadata: { annotations: { [clusterAnnotations.joining]: null } } };
  return hub.patch(Cluster, { name }, { type: 'merge', body }, call);
}

async function waitUntilConnected(hub: KubeClient, name: string, { timeoutMs, signal }: JoinRequest): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const cluster = await hub.get(Cluster, { name }, { signal });
    if (!cluster || cluster.metadata.deletionTimestamp !== undefined) throw new Error(`cluster "${name}" was removed meanwhile`);
    const connected = findCondition(cluster, clusterConditions.connected);
    if (connected?.status === 'True') return;
    if (Date.now() > deadline) {
      const why = connected?.message ?? 'nothing was heard of it: is the hub running?';
      throw new Error(`the hub cannot reach the cluster: ${why}`);
    }
    await sleep(pollMs, undefined, { signal });
  }
}

/** Both sides as they were, whoever gave up and why. */
async function takeBack(hub: KubeClient, member: KubeClient, cluster: Cluster): Promise<void> {
  const name = cluster.metadata.name!;
  const call = { signal: AbortSignal.timeout(rollbackMs) };
  await removeMemberAccount(member, clusterId(cluster), call);
  await removeCluster(hub, cluster, { ...call, isForced: true });
  while (await hub.get(Cluster, { name }, call)) await sleep(pollMs, undefined, call);
}

/** Asks for the removal of a cluster; forced, the member is not asked to take part. With `dryRun` the hub only says whether it would do so. */
export async function removeCluster(hub: KubeClient, cluster: Cluster, options: WriteOptions & { isForced: boolean }): Promise<void> {
  const { isForced, ...call } = options;
  const { name = '', uid } = cluster.metadata;
  if (isForced) {
    const body = { metadata: { annotations: { [clusterAnnotations.forceRemoval]: 'true' } } };
    await hub.patch(Cluster, { name }, { type: 'merge', body }, call);
  }
  await hub.delete(Cluster, { name }, { ...call, ...(uid !== undefined && { preconditions: { uid } }) });
}
