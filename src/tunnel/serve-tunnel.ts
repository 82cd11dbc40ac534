import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { WebSocket } from 'ws';
import type { Transport } from '../client/transport.ts';
import { endWebSocket } from '../util/end-web-socket.ts';
import { forwardRequest } from './forward-request.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import { keepAlive } from './keep-alive.ts';
import { closeCodes } from './protocol.ts';
import { agentSessionOptions } from './session-options.ts';
import { headersOf } from './tunnel-headers.ts';
import { tunnelLimits } from './tunnel-limits.ts';
import { webSocketStream } from './web-socket-stream.ts';

export interface TunnelEnd {
  readonly code: number;
  readonly reason: string;
}

export interface ServeTunnelOptions {
  readonly webSocket: WebSocket;
  /** The API server of the cluster: everything that comes through the tunnel goes there and nowhere else. */
  readonly target: Transport;
  readonly signal: AbortSignal;
  readonly times?: { readonly pingEveryMs: number; readonly pingDeadlineMs: number };
}

/** The agent's end of one tunnel. Resolves when it has ended, with what the hub said. */
export function serveTunnel({ webSocket, target, signal, times = tunnelLimits }: ServeTunnelOptions): Promise<TunnelEnd> {
  const { promise, resolve } = Promise.withResolvers<TunnelEnd>();
  const server = createServer(agentSessionOptions);
  server.on('stream', (stream: ServerHttp2Stream, headers, _flags, raw) => {
    stream.on('error', () => {});
    const head = { method: String(headers[':method']), path: String(headers[':path']), headers: headersOf(raw) };
    if (head.method === 'CONNECT') void forwardUpgrade(stream, head, target);
    else void forwardRequest(stream, head, target);
  });
  server.on('session', session => {
    session.setLocalWindowSize(tunnelLimits.sessionWindowBytes);
    const alive = keepAlive(session, {
      ...times,
      onDead: () => end({ code: closeCodes.unresponsive, reason: `the hub did not answer for ${times.pingDeadlineMs / 1000} s` }),
    });
    session.once('close', () => alive[Symbol.dispose]());
    session.on('error', error => end({ code: closeCodes.protocolError, reason: `the tunnel broke: ${error.message}` }));
  });
  server.on('sessionError', () => {});

  const socket = webSocketStream(webSocket);
  const stop = () => end({ code: closeCodes.goingAway, reason: 'the agent stops' });
  webSocket.once('close', (code, reason) => finish({ code, reason: reason.toString() || `the connection was closed (${code})` }));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  server.emit('connection', socket);
  return promise;

  function end(what: TunnelEnd): void {
    endWebSocket(webSocket, what.code, what.reason);
    finish(what);
  }

  function finish(what: TunnelEnd): void {
    signal.removeEventListener('abort', stop);
    socket.destroy();
    resolve(what);
  }
}
