import { httpClient } from '../client/http-client.ts';
import { httpsTransport } from '../client/https-transport.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { UnreachableError, type Transport } from '../client/transport.ts';
import { hubApiPath } from '../tunnel/protocol.ts';
import { identityHeaders, type AgentIdentity } from './agent-identity.ts';

/** What an agent needs to speak with its hub. */
export interface HubReach {
  readonly identity: AgentIdentity;
  /** PEM; the authorities of the system when absent. */
  readonly authorities: string | undefined;
  /** The time of the hub. */
  now(): Date;
}

export interface HubApiOptions {
  readonly server: string;
  /** Where proxies are looked up. */
  readonly env: NodeJS.ProcessEnv;
  /** Undefined until the hub was met for the first time. */
  reach(): HubReach | undefined;
}

/** The Kubernetes API of the hub as the agent sees it. Every request carries a proof of its own, as the tunnel does. */
export function hubApi({ server, env, reach }: HubApiOptions): KubeClient {
  let present: { readonly authorities: string | undefined; readonly transport: Transport } | undefined;
  const transport: Transport = {
    request: req => withProof(({ headers, way }) => way.request({ ...req, headers: { ...req.headers, ...headers } })),
    upgrade: req => withProof(({ headers, way }) => way.upgrade({ ...req, headers: { ...req.headers, ...headers } })),
    async [Symbol.asyncDispose]() {
      await present?.transport[Symbol.asyncDispose]();
    },
  };
  return httpClient(transport, { userAgent: 'drover-agent' });

  async function withProof<T>(send: (with_: { headers: Record<string, string>; way: Transport }) => Promise<T>): Promise<T> {
    const known = reach();
    if (!known) throw new UnreachableError('the hub has not been met yet');
    if (present?.authorities !== known.authorities || !present) {
      void present?.transport[Symbol.asyncDispose]();
      const way = httpsTransport({ server: server + hubApiPath, ca: known.authorities, proxyEnv: env, maxConnections: 32 });
      present = { authorities: known.authorities, transport: way };
    }
    return send({ headers: identityHeaders(known.identity, known.now()), way: present.transport });
  }
}
