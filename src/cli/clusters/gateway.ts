import { underDeadline } from '../../client/deadline.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { HttpsTransportOptions } from '../../client/https-transport.ts';
import type { KubeconfigContext } from '../../client/kubeconfig/kubeconfig.ts';
import { readBytes } from '../../client/read-answer.ts';
import type { Transport } from '../../client/transport.ts';
import { readGatewayAddress } from '../../core/registration/gateway-address.ts';
import { pingPath } from '../../tunnel/protocol.ts';
import { CommandError } from '../exit-codes.ts';
import { memberPath } from './member-transport.ts';

/** Where the members' APIs are found. */
export interface Gateway extends AsyncDisposable {
  readonly server: string;
  /** PEM; undefined when it is where the hub's API is. */
  readonly authorities: string | undefined;
  readonly transport: Transport;
}

export interface GatewayQuestion {
  readonly server: string;
  readonly context: KubeconfigContext;
  readonly client: KubeClient;
  /** To the hub's API. */
  readonly transport: Transport;
  /** Opens a way to somewhere else. */
  open(connection: HttpsTransportOptions): Transport;
}

const timeoutMs = 10_000;

/** Beside the API when the hub has one of its own; elsewhere, as the hub has published it, when another server is the hub. */
export async function findGateway({ server, context, client, transport, open }: GatewayQuestion): Promise<Gateway> {
  const behind = gatewayOf(server);
  if (behind !== undefined) {
    const there = open({ ...context.connection, server: behind });
    return { server: behind, authorities: undefined, transport: there, [Symbol.asyncDispose]: () => there[Symbol.asyncDispose]() };
  }
  if (await isGateway(transport)) return { server, authorities: undefined, transport, async [Symbol.asyncDispose]() {} };
  const { url, authorities } = await readGatewayAddress(client, { timeoutMs }).catch((cause: unknown) => {
    throw new CommandError('the way to the members is not known', { cause, hint: 'is the hub running? "drover up --hub FILE" starts it' });
  });
  // As the same user; what is said of the API's own address is not true of the gateway's.
  const { headers, credentials, proxyEnv } = context.connection;
  const own = open({ server: url, ca: authorities, proxyEnv, ...(headers && { headers }), ...(credentials && { credentials }) });
  return { server: url, authorities, transport: own, [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() };
}

/** The gateway serves the API of the hub too, where "drover login" looks for it. */
function gatewayOf(server: string): string | undefined {
  const path = memberPath('local');
  return server.endsWith(path) ? server.slice(0, -path.length) : undefined;
}

function isGateway(transport: Transport): Promise<boolean> {
  return underDeadline({ timeoutMs }, async signal => {
    const { status, body } = await transport.request({ method: 'GET', path: pingPath, signal });
    return (await readBytes(body, 1024 * 1024)).toString('utf8').trim() === 'pong' && status === 200;
  });
}
