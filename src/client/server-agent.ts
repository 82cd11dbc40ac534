import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { getCACertificates } from 'node:tls';
import type { Credential } from './credential.ts';

/** Where an API server is and how it is recognised. */
export interface ServerAddress {
  /** Its URL. A path stands before the path of every request. */
  readonly server: string;
  /** PEM. The authorities of the system when absent. */
  readonly ca?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** The name expected in the server's certificate. The host of the URL when absent. */
  readonly tlsServerName?: string | undefined;
  /** An HTTP proxy that carries the connection (CONNECT). */
  readonly proxyUrl?: string | undefined;
  /** Where `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are looked up when no proxy is given. Nowhere when absent. */
  readonly proxyEnv?: NodeJS.ProcessEnv | undefined;
  /** Makes connections in another way than by the network; for plain `http:` only. */
  connect?(): Duplex;
}

export type ServerAgent = HttpAgent | HttpsAgent;

/** Servers close connections that were idle for longer; ours go first, so that none dies under a request. */
const idleConnectionMs = 30_000;

/** Keeps connections to one server, as one client, within a bound. */
export function serverAgent(address: ServerAddress, { certificate, key }: Credential, maxConnections: number): ServerAgent {
  if (address.connect) return connectingAgent(address.connect, maxConnections);
  const { server, ca, insecureSkipTlsVerify, tlsServerName, proxyUrl, proxyEnv } = address;
  const common = {
    keepAlive: true,
    maxSockets: maxConnections,
    maxFreeSockets: Math.min(64, maxConnections),
    timeout: idleConnectionMs,
    ...(proxyUrl !== undefined && { proxyEnv: { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl } }),
    // As everywhere, the machine itself is never reached through a proxy that the environment names.
    ...(proxyUrl === undefined && proxyEnv && !isLoopback(server) && { proxyEnv }),
  };
  if (server.startsWith('http:')) return oneServer(new HttpAgent(common));
  const agent = new HttpsAgent({
    ...common,
    // Reading hundreds of authorities for nothing would cost more than all the rest.
    ...(!insecureSkipTlsVerify && { ca: ca ?? systemAuthorities() }),
    rejectUnauthorized: insecureSkipTlsVerify !== true,
    ...(tlsServerName !== undefined && tlsServerName !== '' && { servername: tlsServerName }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  });
  return oneServer(agent);
}

/** Node would put the certificates and keys of every request together to find a connection that fits. Here all of them do. */
function oneServer(agent: ServerAgent): ServerAgent {
  agent.getName = () => 'server';
  return agent;
}

function isLoopback(server: string): boolean {
  return /^(?:localhost|127\.[0-9.]+|\[::1\])$/.test(new URL(server).hostname);
}

/** Connections that cost nothing are not kept. */
function connectingAgent(connect: () => Duplex, maxConnections: number): ServerAgent {
  const agent = new HttpAgent({ keepAlive: false, maxSockets: maxConnections });
  agent.createConnection = connect;
  return agent;
}

let authorities: string[] | undefined;

/** Node trusts its own list; other programs on the machine trust the system's. */
export function systemAuthorities(): string[] {
  return (authorities ??= [...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
}
