import { Secret } from '../../api/builtin-kinds.ts';
import type { Cluster } from '../../api/cluster.ts';
import { httpClient } from '../../client/http-client.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { contextTransport, readContext, type KubeconfigContext } from '../../client/kubeconfig/kubeconfig.ts';
import { parseKubeconfig } from '../../client/kubeconfig/kubeconfig-file.ts';
import { joinMember } from '../../core/clusters/join-member.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';

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
  const { server, ca, insecureSkipTlsVerify, tlsServerName, proxyUrl } = context.connection;
  const connection = {
    server: String(server),
    ...(ca !== undefined && { caBundle: Buffer.from(ca).toString('base64') }),
    ...(insecureSkipTlsVerify === true && { insecureSkipTLSVerify: true }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    ...(proxyUrl !== undefined && { proxyURL: proxyUrl }),
  };
  await using member = httpClient(contextTransport(context, { connectTimeoutMs: 10_000 }));
  return await joinMember(hub, member, { ...request, connection });
}
