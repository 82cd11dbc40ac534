import type { Cluster } from '../../../api/cluster.ts';
import { kinds, pathOf, type KubeObject } from '../../data/kinds.ts';
import { ApiError, request } from '../../data/request.ts';
import { idOf } from './cluster-kind.ts';

/* What `drover import` does: a Cluster that waits for its agent, and a token of which the hub keeps the hash alone. */

export interface Invitation {
  readonly command: string;
  readonly insecureCommand: string;
  readonly agentCommand: string;
  readonly expiresAt: string;
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const tokenLength = 54;
const lifetimeMs = 86_400_000;
const patienceMs = 10_000;

export function createCluster(name: string, labels: Readonly<Record<string, string>>, mode: 'Tunnel' | 'Sandbox'): Promise<Cluster> {
  const body = { apiVersion: 'drover.io/v1alpha1', kind: 'Cluster', metadata: { name, labels }, spec: { connection: { mode } } };
  return request<Cluster>(pathOf(kinds.cluster), { method: 'POST', body });
}

/** Makes a token for the agent of a cluster, and says what to run there. */
export async function invite(name: string): Promise<Invitation> {
  const cluster = await withId(name);
  const token = newToken();
  const hash = await sha256(token);
  const id = idOf(cluster);
  const expiresAt = `${new Date(Date.now() + lifetimeMs).toISOString().slice(0, 19)}Z`;
  const labels = { 'drover.io/token-id': hash.slice(0, 16), 'app.kubernetes.io/managed-by': 'drover' };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `registration-${hash.slice(0, 16)}`, namespace: id, labels },
    type: 'drover.io/registration-token',
    data: { hash: btoa(hash), expiresAt: btoa(expiresAt) },
  };
  await eventually(() => request(pathOf(kinds.secret, { namespace: id }), { method: 'POST', body: secret }));
  const { url: server, authorities } = await gatewayAddress();
  const manifest = `${server}/v3/import/${token}_${id}.yaml`;
  const checksum = await sha256(`${authorities.trimEnd()}\n`);
  return {
    command: `kubectl apply -f ${manifest}`,
    insecureCommand: `curl --insecure -sfL ${manifest} | kubectl apply -f -`,
    agentCommand: `drover agent --server ${server} --ca-checksum ${checksum} --token ${token}`,
    expiresAt,
  };
}

async function withId(name: string): Promise<Cluster> {
  return eventually(async () => {
    const cluster = await request<Cluster>(pathOf(kinds.cluster, { name }));
    if (!cluster.status?.id) throw new ApiError(404, `the hub has not seen "${name}" yet`);
    return cluster;
  });
}

/** What was just made may take the hub a moment to notice. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (const startedAt = Date.now(); ;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404 || Date.now() - startedAt > patienceMs) throw error;
      await new Promise(resolve => setTimeout(resolve, 250));
    }
  }
}

async function gatewayAddress(): Promise<{ url: string; authorities: string }> {
  const found = await request<KubeObject & { data?: { url?: string; authorities?: string } }>(
    pathOf(kinds.configMap, { namespace: 'kube-public', name: 'drover-gateway' }),
  );
  return { url: found.data?.url ?? location.origin, authorities: found.data?.authorities ?? '' };
}

/** Each letter equally likely: bytes beyond the last whole round of the alphabet are thrown away. */
function newToken(): string {
  const limit = 256 - (256 % alphabet.length);
  let token = '';
  while (token.length < tokenLength)
    for (const byte of crypto.getRandomValues(new Uint8Array(tokenLength)))
      if (byte < limit && token.length < tokenLength) token += alphabet[byte % alphabet.length];
  return token;
}

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
