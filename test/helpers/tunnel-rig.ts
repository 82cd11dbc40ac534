import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { httpsTransport } from '../../src/client/https-transport.ts';
import { connectHandler } from '../../src/tunnel/connect-handler.ts';
import { agentHeaders, connectPath, subprotocol } from '../../src/tunnel/protocol.ts';
import { serveTunnel, type TunnelEnd } from '../../src/tunnel/serve-tunnel.ts';
import type { SessionTimes } from '../../src/tunnel/tunnel-session.ts';
import { TunnelSessions } from '../../src/tunnel/tunnel-sessions.ts';
import { eventually } from './eventually.ts';

export const quickTimes: SessionTimes = { pingEveryMs: 200, pingDeadlineMs: 3000, openMs: 5000, answerMs: 10_000 };

export async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export interface TestHub extends AsyncDisposable {
  readonly sessions: TunnelSessions;
  readonly port: number;
}

/** A hub that believes whatever cluster an agent names in its Authorization header. */
export async function startTestHub(times: SessionTimes = quickTimes): Promise<TestHub> {
  const sessions = new TunnelSessions({ times, waitMs: 500 });
  const connect = connectHandler({ sessions, verify: async req => ({ clusterId: req.headers.authorization ?? '' }) });
  const server = createServer();
  server.on('upgrade', (req, socket, head) => void connect(req, socket, head));
  const port = await listen(server);
  return {
    sessions,
    port,
    async [Symbol.asyncDispose]() {
      await sessions[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

export interface TestApiServer extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
}

/** A server that an agent forwards to. */
export async function startTestApiServer(
  handle: RequestListener,
  upgrade?: (req: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<TestApiServer> {
  const server = createServer(handle);
  if (upgrade) server.on('upgrade', upgrade);
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

export interface TestAgent extends AsyncDisposable {
  readonly webSocket: WebSocket;
  readonly ended: Promise<TunnelEnd>;
}

export interface TestAgentOptions {
  readonly hubPort: number;
  readonly apiServer: string;
  readonly clusterId?: string;
  readonly instance?: string;
  readonly isStandby?: boolean;
  readonly times?: SessionTimes;
}

/** Only the tunnel of an agent: no registration, no reconnecting. */
export async function connectTestAgent(options: TestAgentOptions): Promise<TestAgent> {
  const { hubPort, apiServer, clusterId = 'c-m-test1234', instance = 'one', times = quickTimes } = options;
  const stop = new AbortController();
  const target = httpsTransport({ server: apiServer });
  const webSocket = new WebSocket(`ws://127.0.0.1:${hubPort}${connectPath}`, subprotocol, {
    perMessageDeflate: false,
    headers: {
      authorization: clusterId,
      [agentHeaders.instance]: instance,
      [agentHeaders.time]: new Date().toISOString(),
      ...(options.isStandby && { [agentHeaders.standby]: 'true' }),
    },
  });
  const { ended } = await new Promise<{ ended: Promise<TunnelEnd> }>((resolve, reject) => {
    // At once: the hub speaks first.
    webSocket.once('open', () => resolve({ ended: serveTunnel({ webSocket, target, signal: stop.signal, times }) }));
    webSocket.once('error', reject);
  });
  return {
    webSocket,
    ended,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      await target[Symbol.asyncDispose]();
    },
  };
}

export interface TestTunnel extends AsyncDisposable {
  readonly hub: TestHub;
  readonly api: TestApiServer;
  readonly agent: TestAgent;
}

/** Hub, agent and API server in one process. */
export async function startTestTunnel(
  handle: RequestListener,
  upgrade?: (req: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<TestTunnel> {
  await using stack = new AsyncDisposableStack();
  const hub = stack.use(await startTestHub());
  const api = stack.use(await startTestApiServer(handle, upgrade));
  const agent = stack.use(await connectTestAgent({ hubPort: hub.port, apiServer: api.url }));
  await eventually(() => hub.sessions.state('c-m-test1234')?.isConnected);
  const kept = stack.move();
  return { hub, api, agent, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
