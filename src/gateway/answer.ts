import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { internalServerError, StatusError } from '../api/status.ts';
import { lastResponseOn } from '../apiserver/http/last-response.ts';
import { note } from '../auth/request-notes.ts';

/** Answers as the Kubernetes API does, so that kubectl prints the message. What has begun cannot be answered any more and is cut. */
export function sendError(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  if (res.closed) return;
  if (res.headersSent) return void res.destroy();
  const status = error instanceof StatusError ? error : internalServerError('the hub could not answer');
  setErrorHeaders(req, res, status);
  sendJson(res, status.code, status.toStatus());
}

/** Answers people who fetch a file: the message alone. What is not about them is thrown again. */
export function sendPlainError(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  if (!(error instanceof StatusError) || res.headersSent) throw error;
  setErrorHeaders(req, res, error);
  sendText(res, error.code, `${error.message}\n`);
}

function setErrorHeaders(req: IncomingMessage, res: ServerResponse, { details }: StatusError): void {
  if (details?.retryAfterSeconds !== undefined) res.setHeader('Retry-After', String(details.retryAfterSeconds));
  // The rest of a body nobody reads would be taken for the next request.
  if (!req.complete) res.setHeader('Connection', 'close');
}

export function sendJson(res: ServerResponse, code: number, body: object): void {
  send(res, code, 'application/json', `${JSON.stringify(body)}\n`);
}

export function sendText(res: ServerResponse, code: number, text: string): void {
  send(res, code, 'text/plain; charset=utf-8', text);
}

function send(res: ServerResponse, code: number, contentType: string, text: string): void {
  res.writeHead(code, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(text);
}

/** For requests that asked to leave HTTP and are answered within it after all: the connection ends with the answer. */
export function responseOn(req: IncomingMessage, socket: Duplex): ServerResponse {
  const res = lastResponseOn(req, socket);
  // Whatever else was sent is for nobody; left where it is, it would hide that the client has gone. As with any request, who has ended has gone.
  socket.resume().once('end', () => socket.destroy());
  res.once('finish', () => note(req, { status: res.statusCode }));
  return res;
}
