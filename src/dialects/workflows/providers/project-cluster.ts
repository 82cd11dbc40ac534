import { Secret } from '../../../api/builtin-kinds.ts';
import { Cluster, clusterAnnotations } from '../../../api/cluster.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { isMissing } from '../../../client/missing-object.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { ensureClusterNamespace } from '../../../core/clusters/cluster-namespace.ts';
import type { RancherSource } from '../kinds/cloud-provider.ts';
import { deliveryAnnotations } from '../names.ts';
import { isTokenDue, rancherSecretName, secretWithToken, tokenOf } from './plan-credential.ts';
import { projectionDigest, type Projected } from './plan-projection.ts';
import { tokenIdOf, type GeneratedAccess } from './rancher-answers.ts';
import type { RancherClient } from './rancher-client.ts';

/** Owns the Clusters of providers and the Secrets with their tokens. */
const fieldManager = 'drover-providers';

export interface ProjectDeps {
  readonly hub: KubeClient;
  readonly client: RancherClient;
  readonly source: RancherSource & { readonly url: string };
  readonly now: Date;
  readonly signal: AbortSignal;
}

type Connection = Cluster['spec']['connection'];

/** Makes a cluster of a provider a member of the hub, or brings it up to date. */
export async function ensureProjected(one: Projected, { hub, source, signal }: ProjectDeps): Promise<Cluster> {
  const connection = isGenerated(source) ? (keptConnection(one, source) ?? throughServer(one, source)) : throughServer(one, source);
  const digest = projectionDigest(one, connection);
  const { annotations = {} } = one.present?.metadata ?? {};
  const isDone = annotations[deliveryAnnotations.projection] === digest && annotations[deliveryAnnotations.missingSince] === undefined;
  if (one.present && isDone) return one.present;
  return writeCluster(hub, one, connection, signal);
}

async function writeCluster(hub: KubeClient, one: Projected, connection: Connection, signal: AbortSignal): Promise<Cluster> {
  const { listed, name, id, labels, present } = one;
  const annotations = {
    [deliveryAnnotations.rancherId]: listed.id,
    [deliveryAnnotations.rancherName]: listed.name,
    [deliveryAnnotations.projection]: projectionDigest(one, connection),
  };
  const uid = present?.metadata.uid;
  const metadata = { name, labels: { ...labels }, annotations, ...(uid !== undefined && { uid }) };
  return hub.apply(Cluster, { metadata, spec: { ...(id !== undefined && { id }), connection } }, { fieldManager, signal });
}

const isGenerated = ({ access }: RancherSource): boolean => access !== 'Proxy';

/** The way that the server once made, as long as it is the same server. */
function keptConnection({ present }: Projected, { url }: { readonly url: string }): Connection | undefined {
  const { connection } = present?.spec ?? {};
  const { server = '' } = connection ?? {};
  return URL.canParse(server) && new URL(server).origin === new URL(url).origin ? connection : undefined;
}

function throughServer({ listed }: Projected, source: RancherSource & { readonly url: string }): Connection {
  return {
    mode: 'Direct',
    server: `${source.url}/k8s/clusters/${encodeURIComponent(listed.id)}`,
    ...trustOf(source),
    secretName: rancherSecretName,
  };
}

function trustOf({ caBundle, insecureSkipTLSVerify = false }: RancherSource): Pick<Connection, 'caBundle' | 'insecureSkipTLSVerify'> {
  return { ...(caBundle !== undefined && caBundle !== '' && { caBundle }), ...(insecureSkipTLSVerify && { insecureSkipTLSVerify }) };
}

function asGenerated({ server, caBundle }: GeneratedAccess, source: RancherSource): Connection {
  const trust = trustOf(source);
  return { mode: 'Direct', server, ...trust, ...(caBundle !== undefined && { caBundle }), secretName: rancherSecretName };
}

/** Sees to it that the hub has a token for the cluster. What replaced tokens are is written before they are deleted. Throws RancherError. */
export async function ensureCredential(one: Projected, cluster: Cluster, deps: ProjectDeps): Promise<void> {
  const { hub, client, source, now, signal } = deps;
  const namespace = clusterId(cluster);
  const before = await hub.get(Secret, { namespace, name: rancherSecretName }, { signal });
  const write = async (token: string): Promise<void> => {
    await ensureClusterNamespace(hub, cluster, { signal });
    const secret = secretWithToken(before, { namespace, token, url: source.url, now });
    await hub.apply(Secret, secret, { fieldManager, signal });
  };
  if (!isGenerated(source)) {
    const token = await client.token(signal);
    if (tokenOf(before) !== token) await write(token);
    return;
  }
  const isDue = isTokenDue(before, cluster, { url: source.url, now });
  if (isDue) {
    const access = await client.generateKubeconfig(one.listed.id, signal);
    await write(access.token);
    await writeCluster(hub, { ...one, present: cluster, id: cluster.spec.id }, asGenerated(access, source), signal);
  }
  if (isDue || before?.metadata.annotations?.[deliveryAnnotations.replacedToken] !== undefined) await deleteReplaced(namespace, deps);
}

/** The token that a new one replaced. After a crash it is still named. */
async function deleteReplaced(namespace: string, { hub, client, signal }: ProjectDeps): Promise<void> {
  const secret = await hub.get(Secret, { namespace, name: rancherSecretName }, { signal });
  const old = secret?.metadata.annotations?.[deliveryAnnotations.replacedToken];
  if (old === undefined) return;
  await client.deleteToken(old, signal);
  const body = { metadata: { annotations: { [deliveryAnnotations.replacedToken]: null } } };
  await hub.patch(Secret, { namespace, name: rancherSecretName }, { type: 'merge', body }, { fieldManager, signal });
}

/** Says since when a provider does not tell of a cluster any more. */
export async function markMissing(hub: KubeClient, { metadata }: Cluster, now: Date, signal: AbortSignal): Promise<void> {
  const body = { metadata: { annotations: { [deliveryAnnotations.missingSince]: now.toISOString() } } };
  await unlessGone(metadata.name!, hub.patch(Cluster, { name: metadata.name! }, { type: 'merge', body }, { fieldManager, signal }));
}

/** Takes a cluster of a provider out of the hub, and leaves what runs on it as it is: there is no way to it any more. */
export async function removeProjected(hub: KubeClient, cluster: Cluster, signal: AbortSignal): Promise<void> {
  const { name = '', uid, deletionTimestamp } = cluster.metadata;
  if (deletionTimestamp !== undefined) return;
  const body = { metadata: { annotations: { [clusterAnnotations.forceRemoval]: 'true' } } };
  await unlessGone(name, hub.patch(Cluster, { name }, { type: 'merge', body }, { fieldManager, signal }));
  await hub.delete(Cluster, { name }, { signal, ...(uid !== undefined && { preconditions: { uid } }) });
}

/** The token that was generated for a cluster, by its name. */
export async function generatedToken(hub: KubeClient, cluster: Cluster, signal: AbortSignal): Promise<string | undefined> {
  const secret = await hub.get(Secret, { namespace: clusterId(cluster), name: rancherSecretName }, { signal });
  return secret && tokenIdOf(tokenOf(secret));
}

async function unlessGone(name: string, write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isMissing(error, { name })) throw error;
  }
}
