import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** For requests that asked to leave HTTP and are answered within it after all: the connection ends with the answer, for nobody reads another request from it. */
export function lastResponseOn(req: IncomingMessage, socket: Duplex): ServerResponse {
  const res = new ServerResponse(req);
  res.assignSocket(socket as Socket);
  res.shouldKeepAlive = false;
  res.once('finish', () => socket.end());
  return res;
}
