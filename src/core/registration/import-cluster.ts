import { Secret } from '../../api/builtin-kinds.ts';
import { Cluster, clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import type { CallOptions, KubeClient, WriteOptions } from '../../client/kube-client.ts';
import { clusterId } from '../clusters/cluster-id.ts';
import { ensureClusterNamespace } from '../clusters/cluster-namespace.ts';
import { judgeToken, newToken, registrationTokenType, tokenSecret } from './registration-token.ts';

export interface ImportRequest {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** How long the token can be used. */
  readonly lifetimeMs: number;
  readonly now: Date;
  readonly signal: AbortSignal;
}

export interface Invitation {
  readonly cluster: Cluster;
  readonly id: string;
  /** Shown once: the hub keeps only its hash. */
  readonly token: string;
  readonly expiresAt: Date;
  /** False when the Cluster was there and waits for its agent, or has lost it. */
  readonly isNew: boolean;
}

const rollbackMs = 10_000;

/**
 * Invites a cluster: makes the Cluster, unless it is there and has no agent connected, and a token for its agent. When it fails it takes back what it
 * made and throws.
 */
export async function importCluster(hub: KubeClient, request: ImportRequest): Promise<Invitation> {
  const call = { signal: request.signal };
  const present = await findInvitable(hub, request);
  const cluster = present ?? (await createCluster(hub, request, call));
  const id = clusterId(cluster);
  try {
    await ensureClusterNamespace(hub, cluster, call);
    await forgetExpiredTokens(hub, id, request.now, call);
    const token = newToken();
    const expiresAt = new Date(request.now.getTime() + request.lifetimeMs);
    await hub.create(Secret, tokenSecret(token, { namespace: id, expiresAt }), call);
    return { cluster, id, token, expiresAt, isNew: !present };
  } catch (error) {
    if (!present) await takeBack(hub, cluster, error);
    throw error;
  }
}

/** Throws what would keep a cluster from being invited. With `asksHub` the hub also says whether it would take the Cluster. Changes nothing. */
export async function rehearseImport(hub: KubeClient, request: ImportRequest, { asksHub }: { asksHub: boolean }): Promise<void> {
  const present = await findInvitable(hub, request);
  if (asksHub && !present) await createCluster(hub, request, { signal: request.signal, dryRun: true });
}

/** The Cluster when it is there already. */
async function findInvitable(hub: KubeClient, { name, signal }: ImportRequest): Promise<Cluster | undefined> {
  const present = await hub.get(Cluster, { name }, { signal });
  if (present) checkInvitable(present);
  return present;
}

function checkInvitable(cluster: Cluster): void {
  const { name, deletionTimestamp } = cluster.metadata;
  if (deletionTimestamp !== undefined) throw new Error(`cluster "${name}" is being removed; try again when it is gone`);
  if (cluster.spec.connection.mode !== 'Tunnel') throw new Error(`there is another cluster "${name}" already; choose another name`);
  if (findCondition(cluster, clusterConditions.connected)?.status === 'True')
    throw new Error(`cluster "${name}" is a member already, and its agent is connected`);
}

function createCluster(hub: KubeClient, { name, labels }: ImportRequest, call: WriteOptions): Promise<Cluster> {
  return hub.create(Cluster, newObject(Cluster, { name, labels: { ...labels } }, { connection: { mode: 'Tunnel' } }), call);
}

async function forgetExpiredTokens(hub: KubeClient, namespace: string, now: Date, call: CallOptions): Promise<void> {
  const { items } = await hub.list(Secret, { namespace, fieldSelector: `type=${registrationTokenType}`, ...call });
  for (const secret of items) {
    if (judgeToken(secret, { now }) === 'expired') await hub.delete(Secret, { namespace, name: secret.metadata.name ?? '' }, call);
  }
}

/** Also after Ctrl-C: what was begun is not left behind. */
async function takeBack(hub: KubeClient, { metadata: { name = '', uid } }: Cluster, cause: unknown): Promise<void> {
  try {
    await hub.delete(Cluster, { name }, { timeoutMs: rollbackMs, ...(uid !== undefined && { preconditions: { uid } }) });
  } catch {
    throw new Error(`importing failed, and Cluster "${name}" was left behind on the hub`, { cause });
  }
}
