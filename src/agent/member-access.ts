import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Namespace } from '../api/builtin-kinds.ts';
import { tokenFile } from '../client/credential.ts';
import { httpClient } from '../client/http-client.ts';
import { httpsTransport } from '../client/https-transport.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../client/kubeconfig/kubeconfig.ts';
import type { Transport } from '../client/transport.ts';
import { leaveMember } from '../core/registration/leave-member.ts';
import type { AgentFlags } from './agent-settings.ts';
import { fileBlobs, secretBlobs, type KeptBlobs } from './kept-blobs.ts';
import { fileIdentityStore, secretIdentityStore, type IdentityStore } from './identity-store.ts';
import { urlHost } from '../util/url-host.ts';

/** The agent's way to its own API server, and where it keeps its identity. */
export interface MemberAccess {
  readonly target: Transport;
  readonly client: KubeClient;
  readonly clusterUid: string;
  readonly identities: IdentityStore;
  /** Where it keeps what it needs when the hub is away. */
  readonly blobs: KeptBlobs;
  /** Takes away what brought the agent there, when it runs as the pod that the import manifest made. */
  leave?(): Promise<void>;
}

const leaveMs = 20_000;
const accountDir = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Inside the cluster by its service account, elsewhere by a kubeconfig. Throws when the API server cannot be asked. */
export async function openMember(flags: AgentFlags, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<MemberAccess> {
  const isInside = flags.kubeconfig === undefined && (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';
  const target = isInside ? insideTransport(env) : outsideTransport(flags, env);
  const client = httpClient(target, { userAgent: 'drover-agent' });
  const clusterUid = await fetchClusterUid(client, signal);
  if (isInside && flags.state === undefined) {
    const namespace = readFileSync(join(accountDir, 'namespace'), 'utf8').trim();
    const identities = secretIdentityStore(client, namespace);
    return { target, client, clusterUid, identities, blobs: secretBlobs(client, namespace), leave: () => leave(client, identities) };
  }
  const state = flags.state ?? join(homedir(), '.drover', 'agents', clusterUid);
  return { target, client, clusterUid, identities: fileIdentityStore(join(state, 'identity.json')), blobs: fileBlobs(state) };
}

/** In its own time: to be removed is also to be stopped. */
async function leave(client: KubeClient, identities: IdentityStore): Promise<void> {
  const signal = AbortSignal.timeout(leaveMs);
  const identity = await identities.load(signal);
  if (identity) await leaveMember(client, identity.clusterId, { signal });
}

function insideTransport(env: NodeJS.ProcessEnv): Transport {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  return httpsTransport({
    server: `https://${urlHost(host)}:${env['KUBERNETES_SERVICE_PORT'] ?? '443'}`,
    ca: readFileSync(join(accountDir, 'ca.crt'), 'utf8'),
    credentials: tokenFile(join(accountDir, 'token')),
    ...bounds,
  });
}

function outsideTransport({ kubeconfig, context }: AgentFlags, env: NodeJS.ProcessEnv): Transport {
  return contextTransport(readContext(readKubeconfigs(kubeconfig, env), { context, env }), bounds);
}

// As many as the tunnel carries: watches hold a connection each.
const bounds = { maxConnections: 2500 };

async function fetchClusterUid(client: KubeClient, signal: AbortSignal): Promise<string> {
  try {
    const namespace = await client.get(Namespace, { name: 'kube-system' }, { signal, timeoutMs: 20_000 });
    if (namespace?.metadata.uid) return namespace.metadata.uid;
  } catch (cause) {
    throw new Error('cannot ask the API server of the cluster', { cause });
  }
  throw new Error('the API server of the cluster has no namespace "kube-system"');
}
