import type { Command } from 'commander';
import { httpClient, warningsOf } from '../client/http-client.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { httpsTransport, type HttpsTransportOptions } from '../client/https-transport.ts';
import { UnreachableError, type Transport, type TransportResponse } from '../client/transport.ts';
import { causesOf } from '../util/error-text.ts';
import { findGateway, type Gateway } from './clusters/gateway.ts';
import { memberPath, memberTransport } from './clusters/member-transport.ts';
import { CommandError } from './exit-codes.ts';
import { chooseHub, type ChosenHub } from './kubeconfig/choose-hub.ts';
import type { ApiSource } from './resources/api-source.ts';
import { discoveryCache } from './resources/discovery-cache.ts';
import type { Terminal } from './terminal.ts';

/** How a command is told which hub is meant. */
export interface HubOptions {
  readonly hub?: string;
  readonly context?: string;
}

export function addHubOptions(command: Command): Command {
  return addHubFileOption(command).option('--context <name>', 'context of that kubeconfig (default: the current one)');
}

/** For commands whose `--context` is that of a member. */
export function addHubFileOption(command: Command): Command {
  return command.option(
    '--hub <file>',
    'kubeconfig of the hub (default: $DROVER_KUBECONFIG, $KUBECONFIG if it is a hub, ~/.drover/kubeconfig)',
  );
}

/** The hub, asked as the caller's own user. */
export interface HubConnection extends AsyncDisposable {
  readonly server: string;
  /** Of the context; `default` when it has none. */
  readonly namespace: string;
  readonly chosen: ChosenHub;
  readonly client: KubeClient;
  readonly transport: Transport;
  /** The API of the hub, or that of a member through the hub. */
  source(cluster?: string): ApiSource;
  /** Where the hub serves the APIs of its members. */
  gateway(): Promise<Gateway>;
}

/** Finds the hub that the caller means. Throws with the next step when there is none; whether it answers is seen at the first call. */
export async function connectToHub(options: HubOptions, terminal: Terminal): Promise<HubConnection> {
  const { env } = terminal;
  const chosen = await chooseHub(options, terminal);
  const { context } = chosen;
  const server = context.connection.server.replace(/\/+$/, '');
  const open = (connection: HttpsTransportOptions) =>
    hubTransport(httpsTransport({ ...connection, connectTimeoutMs: 10_000, maxConnections }), terminal);
  const transport = open(context.connection);
  const client = httpClient(transport);
  let found: Promise<Gateway> | undefined;
  // Looked for once; after a failure, again.
  const gateway = () =>
    (found ??= findGateway({ server, context, client, transport, open }).catch((error: unknown) => {
      found = undefined;
      throw error;
    }));
  return {
    server,
    namespace: context.namespace ?? 'default',
    chosen,
    client,
    transport,
    source(cluster) {
      if (cluster === undefined) return { cluster, client, cache: discoveryCache(server, env) };
      const member = httpClient(memberTransport(async () => (await gateway()).transport, cluster));
      return { cluster, client: member, cache: discoveryCache(`${server}${memberPath(cluster)}`, env) };
    },
    gateway,
    async [Symbol.asyncDispose]() {
      await (await found?.catch(() => undefined))?.[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
    },
  };
}

/** Whether it answers, but not as the one that the kubeconfig means. */
const isDistrust = (error: UnreachableError): boolean =>
  causesOf(error).some(one => one instanceof Error && one.message.startsWith('its certificate is '));

/** A watch holds a connection for each member. */
const maxConnections = 10_000;

/** Tells the warnings of the hub and of members, each once, and adds the next step to what is said when the hub does not answer. */
function hubTransport(transport: Transport, terminal: Terminal): Transport {
  const told = new Set<string>();
  const tellWarnings = ({ headers }: TransportResponse) => {
    for (const warning of warningsOf(headers)) {
      if (!told.has(warning)) terminal.err(`Warning: ${warning}\n`);
      told.add(warning);
    }
  };
  const explained = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      const hint = isDistrust(error)
        ? 'the kubeconfig vouches for another hub, or for none: "drover login URL" writes one for this; --hub FILE names another'
        : 'is the hub running? "drover up" starts it; --hub FILE names another';
      throw new UnreachableError('the hub does not answer', { cause: new CommandError(error.message, { cause: error.cause, hint }) });
    }
  };
  return {
    async request(req) {
      const res = await explained(transport.request(req));
      tellWarnings(res);
      return res;
    },
    upgrade: req => explained(transport.upgrade(req)),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
