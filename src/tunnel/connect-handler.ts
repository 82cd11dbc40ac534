import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { StatusError } from '../api/status.ts';
import { agentHeaders, subprotocol } from './protocol.ts';
import { tunnelLimits } from './tunnel-limits.ts';
import type { ConnectedAgent, TunnelSessions } from './tunnel-sessions.ts';

export interface ConnectHandlerOptions {
  readonly sessions: TunnelSessions;
  /** Answers the id of the cluster whose agent this is. Throws StatusError when it is none. */
  verify(req: IncomingMessage): Promise<{ readonly clusterId: string }>;
  onError?(what: string, error: unknown): void;
  readonly now?: () => number;
}

/** Handshakes under way at once. When all agents come back after a restart, the rest are asked to try again in a moment. */
const handshakesAtOnce = 64;

/** Handles WebSocket requests to `/v3/connect`. */
export function connectHandler({ sessions, verify, onError = () => {}, now = Date.now }: ConnectHandlerOptions) {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: tunnelLimits.messageBytes,
    handleProtocols: offered => (offered.has(subprotocol) ? subprotocol : false),
  });
  let handshakes = 0;

  return async function handleConnect(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const receivedAt = now();
    const close = () => void socket.destroy();
    socket.on('error', close);
    if (handshakes >= handshakesAtOnce) return refuse(socket, tooMany());
    handshakes++;
    try {
      const { clusterId } = await verify(req);
      if (!offersProtocol(req)) throw new StatusError(400, 'BadRequest', `the sub-protocol must be "${subprotocol}"`);
      const agent = describeAgent(req, clusterId, receivedAt);
      if (req.headers[agentHeaders.standby] === 'true' && sessions.isServedByOther(agent)) throw taken();
      if (socket.destroyed) return;
      server.handleUpgrade(req, socket, head, webSocket => {
        socket.off('error', close);
        sessions.accept(webSocket, agent).catch((error: unknown) => onError(`tunnel of ${clusterId}`, error));
      });
    } catch (error) {
      if (!(error instanceof StatusError)) onError('connect', error);
      refuse(socket, error instanceof StatusError ? error : new StatusError(500, 'InternalError', 'the hub could not check the agent'));
    } finally {
      handshakes--;
    }
  };
}

const tooMany = () =>
  new StatusError(503, 'ServiceUnavailable', 'too many agents are connecting just now', {
    retryAfterSeconds: 1 + Math.floor(Math.random() * 5),
  });

const taken = () => new StatusError(409, 'Conflict', 'another agent of the same cluster is connected');

function offersProtocol({ headers }: IncomingMessage): boolean {
  return (headers['sec-websocket-protocol'] ?? '').split(',').some(name => name.trim() === subprotocol);
}

function describeAgent({ headers }: IncomingMessage, clusterId: string, receivedAt: number): ConnectedAgent {
  const text = (name: string): string => String(headers[name] ?? '').slice(0, 100);
  const time = Date.parse(text(agentHeaders.time));
  return {
    clusterId,
    version: text(agentHeaders.version),
    instance: text(agentHeaders.instance),
    isStrict: text(agentHeaders.strict) === 'true',
    clockOffsetMs: Number.isFinite(time) ? time - receivedAt : undefined,
  };
}

/** Answers on the bare socket, since nothing has been upgraded yet. */
function refuse(socket: Duplex, error: StatusError): void {
  const body = JSON.stringify(error.toStatus());
  const retry = error.details?.retryAfterSeconds;
  socket.end(
    [
      `HTTP/1.1 ${error.code} ${STATUS_CODES[error.code] ?? 'Error'}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      ...(retry === undefined ? [] : [`Retry-After: ${retry}`]),
      '',
      body,
    ].join('\r\n'),
  );
}
