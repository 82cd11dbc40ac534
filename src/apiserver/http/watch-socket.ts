import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { bearerProtocolPrefix } from '../../auth/web-socket-token.ts';
import { endWebSocket } from '../../util/end-web-socket.ts';
import { webSocketServer } from '../../util/web-socket-server.ts';
import type { WatchView } from '../watch/event-lines.ts';
import type { WatchSink } from '../watch/watcher.ts';
import { maxBacklogBytes } from './answer.ts';
import type { RequestScope, Upgrade } from './request-scope.ts';

/** What clients say is not listened to. */
const maxMessageBytes = 64 * 1024;
const farewellMs = 1000;

const load = webSocketServer({ maxPayload: maxMessageBytes, handleProtocols: offered => ownProtocols([...offered])[0] ?? false });

/** Whether a request may be one to watch over a WebSocket. When it is not after all, it is answered as HTTP. */
export const isSocketWatch = ({ headers, url = '' }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && /[?&]watch(?:[=&]|$)|\/watch\//.test(url);

/**
 * Leaves HTTP for a WebSocket on which each event is a message, as clients on the JVM watch. As the real server has it, whoever does not say where the
 * request comes from is refused, and nobody may offer two protocols. Undefined when it has been refused.
 */
export async function openWatchSocket({ req, res }: RequestScope, { socket, head }: Upgrade): Promise<WebSocket | undefined> {
  if (!isOrigin(req.headers.origin)) return refuse(res, 403);
  const offered = (req.headers['sec-websocket-protocol'] ?? '').split(',').map(name => name.trim());
  if (ownProtocols(offered).length > 1) return refuse(res, 400);
  const server = await load();
  res.detachSocket(socket as Socket);
  res.statusCode = 101;
  return new Promise(resolve => {
    socket.once('close', () => {
      // A handshake that failed has been answered: for the request that is no failure.
      resolve(undefined);
      setImmediate(() => res.emit('close'));
    });
    server.handleUpgrade(req, socket, head, webSocket => {
      webSocket.on('error', () => webSocket.terminate());
      resolve(webSocket);
    });
  });
}

/** Without a word, as the real server does it: it has left HTTP already. */
function refuse(res: ServerResponse, code: number): undefined {
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(code).end();
}

/** The events that a watcher writes, each as a message of its own. */
export function socketSink(webSocket: WebSocket, encoding: WatchView['encoding']): WatchSink {
  let lastSent: Promise<void> = Promise.resolve();
  return {
    write(chunk) {
      const messages = encoding === 'json' ? linesOf(chunk) : framesOf(chunk);
      lastSent = Promise.all(messages.map(message => send(message))).then(() => {});
      return webSocket.bufferedAmount < maxBacklogBytes;
    },
    drained: () => lastSent,
    end: () => endWebSocket(webSocket, 1000, '', farewellMs),
  };

  function send(message: Buffer): Promise<void> {
    return new Promise(resolve => webSocket.send(message, { binary: encoding === 'protobuf' }, () => resolve()));
  }
}

export function linesOf(chunk: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < chunk.length;) {
    const end = chunk.indexOf(0x0a, at) + 1 || chunk.length;
    lines.push(chunk.subarray(at, end));
    at = end;
  }
  return lines;
}

/** A message has its own length; the one that stands before an event is left out. */
export function framesOf(chunk: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < chunk.length;) {
    const end = at + 4 + chunk.readUInt32BE(at);
    frames.push(chunk.subarray(at + 4, end));
    at = end;
  }
  return frames;
}

/** As Go reads it: absolute, or a path. */
const isOrigin = (origin: string | undefined): boolean =>
  origin !== undefined && origin !== 'null' && /^(?:[a-z][a-z0-9+.-]*:|\/)\S*$/i.test(origin);

const ownProtocols = (offered: readonly string[]): string[] =>
  offered.filter(name => name !== '' && !name.startsWith(bearerProtocolPrefix));
