import { createHash } from 'node:crypto';
import { Secret } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import { httpClient } from '../../client/http-client.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { contextTransport, readContext, type KubeconfigContext } from '../../client/kubeconfig/kubeconfig.ts';
import { parseKubeconfig } from '../../client/kubeconfig/kubeconfig-file.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { ensureMemberAccount } from '../../core/clusters/ensure-member-account.ts';
import { credentialSecretName, joinMember, readClusterUid } from '../../core/clusters/join-member.ts';
import { isJsonObject, printJson, type Json, type JsonObject } from '../../util/json.ts';

/** What people give for a cluster to be adopted cannot be used. */
export class KubeconfigError extends Error {
  override name = 'KubeconfigError';
}

/** Fields that name files or programs of the machine on which a kubeconfig is used: there it would be the hub's. */
const foreignFields = {
  clusters: ['certificate-authority'],
  users: ['client-certificate', 'client-key', 'tokenFile', 'exec', 'auth-provider'],
} as const;

/** The kubeconfig in a Secret: under its only key, or under "value" or "kubeconfig" when it has several. Throws KubeconfigError. */
export function readKubeconfigSecret({ metadata, data = {} }: Secret): KubeconfigContext {
  const place = `Secret ${metadata.namespace}/${metadata.name}`;
  const keys = Object.keys(data);
  const key = keys.length === 1 ? keys[0] : ['value', 'kubeconfig'].find(one => keys.includes(one));
  if (key === undefined) throw new KubeconfigError(`${place} must have a kubeconfig under the key "value"`);
  try {
    const file = parseKubeconfig(Buffer.from(data[key]!, 'base64').toString(), place);
    refuseForeign(file.content);
    return readContext([file], { env: {} });
  } catch (cause) {
    if (cause instanceof KubeconfigError) throw cause;
    throw new KubeconfigError(`${place}: ${(cause as Error).message}`, { cause });
  }
}

function refuseForeign(content: JsonObject): void {
  for (const [list, fields] of Object.entries(foreignFields)) {
    for (const entry of objectsIn(content[list])) {
      const [value] = objectsIn([entry[list.slice(0, -1)] ?? null]);
      const found = fields.find(field => value?.[field] !== undefined && value[field] !== null && value[field] !== '');
      if (found)
        throw new KubeconfigError(`the kubeconfig uses "${found}", which would be a file or program of the hub: put the data into it`);
    }
  }
}

const objectsIn = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(one => isJsonObject(one)) : []);

export interface AdoptRequest {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly secret: Secret;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Makes a cluster a member just as `drover join` does: the hub keeps the token of an account of its own. */
export async function adoptCluster(hub: KubeClient, { secret, ...request }: AdoptRequest): Promise<Cluster> {
  const context = readKubeconfigSecret(secret);
  await using member = memberOf(context);
  return await joinMember(hub, member, { ...request, connection: connectionOf(context) });
}

/** Goes to a member by another kubeconfig from now on, with the account of the hub, which is made anew where it is missing. */
export async function renewCluster(hub: KubeClient, cluster: Cluster, secret: Secret, signal: AbortSignal): Promise<Cluster> {
  const context = readKubeconfigSecret(secret);
  const name = cluster.metadata.name!;
  const namespace = clusterId(cluster);
  await using member = memberOf(context);
  const uid = await readClusterUid(member, { signal });
  if (cluster.status?.uid !== undefined && cluster.status.uid !== uid) throw new Error(`it leads to another cluster than "${name}"`);
  const { token } = await ensureMemberAccount(member, namespace, { signal });
  const data = { token: Buffer.from(token).toString('base64') };
  await hub.apply(Secret, { metadata: { namespace, name: credentialSecretName }, type: 'Opaque', data }, { signal });
  const fields = ['caBundle', 'insecureSkipTLSVerify', 'tlsServerName', 'proxyURL'];
  const connection = { ...Object.fromEntries(fields.map(field => [field, null])), ...connectionOf(context) };
  return await hub.patch(Cluster, { name }, { type: 'merge', body: { spec: { connection } } }, { signal });
}

/** Tells kubeconfigs apart. */
export const kubeconfigDigest = ({ data = {} }: Secret): string => createHash('sha256').update(printJson(data)).digest('hex').slice(0, 32);

const memberOf = (context: KubeconfigContext): KubeClient => httpClient(contextTransport(context, { connectTimeoutMs: 10_000 }));

function connectionOf({ connection: { server, ca, insecureSkipTlsVerify, tlsServerName, proxyUrl } }: KubeconfigContext) {
  return {
    server: String(server),
    ...(ca !== undefined && { caBundle: Buffer.from(ca).toString('base64') }),
    ...(insecureSkipTlsVerify === true && { insecureSkipTLSVerify: true }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    ...(proxyUrl !== undefined && { proxyURL: proxyUrl }),
  };
}
