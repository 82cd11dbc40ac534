import { request as httpsRequest } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { APIServiceSpec } from '../../api/kubernetes.ts';
import type { UserInfo } from '../../auth/user.ts';
import type { Headers as TransportHeaders } from '../../client/transport.ts';
import { detachedBody } from '../../util/detached-body.ts';
import { goNetworkError } from './go-network-error.ts';
import type { TlsTarget } from './https-pools.ts';
import { identityHeaders, locateServer, type RemoteDeps } from './remote-server.ts';

export type ClientRequest = IncomingMessage | Http2ServerRequest;
export type ClientResponse = ServerResponse | Http2ServerResponse;

/** What concerns one connection only, or says who the client is to this server and must not leave it. */
const dropped = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'http2-settings',
  'authorization',
  'expect',
]);

const isDropped = (name: string) =>
  dropped.has(name) || name.startsWith(':') || name.startsWith('x-remote-') || name.startsWith('impersonate-');

type Headers = Record<string, string | string[]>;

function forwardedHeaders(headers: IncomingHttpHeaders, user: UserInfo, target: TlsTarget, address: string | undefined): Headers {
  const result: Headers = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && !isDropped(name)) result[name] = value;
  const before = headers['x-forwarded-for'];
  if (address !== undefined) result['x-forwarded-for'] = before === undefined ? address : `${String(before)}, ${address}`;
  return { ...result, host: target.servername, ...identityHeaders(user) };
}

/** Answers as Go's http.Error does. */
export function plainError(res: ClientResponse, status: number, text: string): void {
  const answer = res as ServerResponse;
  if (answer.headersSent) return void answer.destroy();
  answer.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  answer.end(`${text}\n`);
}

/** Carries a request to the server behind an APIService and its answer back, both as they come. */
export async function proxyRequest(
  deps: RemoteDeps,
  spec: APIServiceSpec,
  req: ClientRequest,
  res: ClientResponse,
  user: UserInfo,
): Promise<void> {
  const answer = res as ServerResponse;
  let target: TlsTarget;
  try {
    target = await locateServer(deps, spec);
  } catch {
    return plainError(res, 503, 'service unavailable');
  }
  const gone = new AbortController();
  // Besides those who look after every request come this one and the pipeline's: more than Node takes for right.
  answer.setMaxListeners(20).once('close', () => gone.abort());
  const hasBody = req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined || isHttp2Body(req);
  try {
    const remote = await deps.pools.get(target).request({
      method: req.method ?? 'GET',
      path: req.url ?? '/',
      headers: forwardedHeaders(req.headers, user, target, req.socket?.remoteAddress),
      ...(hasBody && { body: detachedBody(req) }),
      signal: gone.signal,
    });
    answer.writeHead(remote.status, answerHeaders(remote.headers, req.httpVersionMajor >= 2));
    // A watch says nothing for a while; its headers must not wait for the first event.
    if (typeof answer.flushHeaders === 'function') answer.flushHeaders();
    await pipeline(remote.body, answer);
  } catch (error) {
    if (gone.signal.aborted) return;
    plainError(res, 503, goNetworkError(error, target));
  }
}

const isHttp2Body = (req: ClientRequest) =>
  req.httpVersionMajor >= 2 && !['GET', 'HEAD'].includes(req.method ?? '') && !(req as Http2ServerRequest).stream.endAfterHeaders;

function answerHeaders(headers: TransportHeaders, isHttp2: boolean): Headers {
  const result: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'connection' || name === 'keep-alive' || name.startsWith('access-control-')) continue;
    if (name === 'transfer-encoding' || (isHttp2 && name === 'upgrade')) continue;
    result[name] = typeof value === 'string' ? value : [...value];
  }
  return result;
}

/** Carries an upgraded connection (exec, attach, port-forward, websockets) through, byte for byte. */
export async function proxyUpgrade(
  deps: RemoteDeps,
  spec: APIServiceSpec,
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  user: UserInfo,
): Promise<void> {
  let target: TlsTarget;
  try {
    target = await locateServer(deps, spec);
  } catch {
    return endWith(socket, 503, 'service unavailable');
  }
  const headers = forwardedHeaders(req.headers, user, target, req.socket.remoteAddress);
  const { host, port, servername, ca, cert, key, insecure } = target;
  const remote = httpsRequest({
    host,
    port,
    method: req.method ?? 'GET',
    path: req.url ?? '/',
    headers: { ...headers, connection: 'Upgrade', upgrade: req.headers.upgrade ?? '' },
    rejectUnauthorized: insecure !== true,
    agent: false,
    ...(isIP(servername) === 0 && { servername }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  });
  await new Promise<void>(resolve => {
    const finish = () => {
      remote.destroy();
      socket.destroy();
      resolve();
    };
    socket.once('error', finish).once('close', finish);
    remote.once('upgrade', (answer: IncomingMessage, far: Duplex, early: Buffer) => {
      far.once('error', finish).once('close', finish);
      socket.write(headOf(answer));
      if (early.length > 0) socket.write(early);
      if (head.length > 0) far.write(head);
      far.pipe(socket);
      socket.pipe(far);
    });
    remote.once('response', (answer: IncomingMessage) => {
      socket.write(headOf(answer));
      answer.pipe(socket);
      answer.once('close', finish);
    });
    remote.once('error', error => {
      endWith(socket, 503, goNetworkError(error, target));
      resolve();
    });
    remote.end();
  });
}

function headOf(answer: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`];
  for (let i = 0; i < answer.rawHeaders.length; i += 2) {
    const name = answer.rawHeaders[i]!;
    if (answer.statusCode !== 101 && /^(transfer-encoding|connection)$/i.test(name)) continue;
    lines.push(`${name}: ${answer.rawHeaders[i + 1]}`);
  }
  if (answer.statusCode !== 101) lines.push('Connection: close');
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function endWith(socket: Duplex, status: number, text: string): void {
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
