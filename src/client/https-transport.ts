import { request as httpRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Socket } from 'node:net';
import { pipeline, Readable, type Duplex } from 'node:stream';
import { fixed, type Credential, type CredentialSource } from './credential.ts';
import { explainNetworkError } from './network-error.ts';
import { serverAgent, type ServerAddress, type ServerAgent } from './server-agent.ts';
import {
  UnreachableError,
  type Headers,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type Upgraded,
} from './transport.ts';

export interface HttpsTransportOptions extends ServerAddress {
  /** None when absent: the server sees an anonymous user. */
  readonly credentials?: CredentialSource;
  /** Sent with every request, over what the request itself says. */
  readonly headers?: Headers;
  /** Default 256. Requests beyond it wait for a connection. */
  readonly maxConnections?: number;
  /** How long to wait for a connection, own or free. Default 10 s. */
  readonly connectTimeoutMs?: number;
  /** How long to wait for the head of an answer, unless the request says otherwise. Default 60 s. */
  readonly answerTimeoutMs?: number;
}

const maxHeaderBytes = 1024 * 1024;
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Answer {
  readonly res: IncomingMessage;
  /** When the connection has left HTTP. */
  readonly socket?: Duplex;
}

/** The way to an API server that can be called: HTTP/1.1 over TLS with connections that are kept. */
export function httpsTransport(options: HttpsTransportOptions): Transport {
  const { credentials = fixed({}), maxConnections = 256, connectTimeoutMs = 10_000, answerTimeoutMs = 60_000 } = options;
  const url = new URL(options.server);
  const prefix = url.pathname.replace(/\/+$/, '');
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || (url.protocol === 'http:' ? 80 : 443) };
  const open = url.protocol === 'http:' ? httpRequest : httpsRequest;
  let present: { readonly credential: Credential; readonly agent: ServerAgent } | undefined;
  let isClosed = false;

  return {
    async request(req) {
      return responseOf((await send(req)).res);
    },
    async upgrade(req) {
      const answer = await send(req);
      return answer.socket ? upgradedOf(answer.res, answer.socket, req.signal) : responseOf(answer.res);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      present?.agent.destroy();
    },
  };

  async function send(req: TransportRequest): Promise<Answer> {
    const credential = await credentials.current(req.signal);
    const answer = await attempt(req, credential);
    const isRepeatable = !(req.body instanceof Readable);
    if (answer.res.statusCode !== 401 || !isRepeatable || !credentials.refused?.(credential)) return answer;
    answer.res.resume();
    return attempt(req, await credentials.current(req.signal));
  }

  async function attempt(req: TransportRequest, credential: Credential): Promise<Answer> {
    try {
      return await exchange(req, credential, false);
    } catch (error) {
      if (!(error instanceof StaleConnectionError)) throw error;
      return await exchange(req, credential, true);
    }
  }

  function exchange(req: TransportRequest, credential: Credential, isSecondTry: boolean): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (isClosed) throw new UnreachableError(`the connection to "${url.origin}" has been given up`);
    req.signal?.throwIfAborted();
    const outgoing = open({
      ...target,
      method: req.method,
      path: `${prefix}${req.path}`,
      headers: outgoingHeaders(req, ownHeaders(req, credential)),
      agent: agentFor(credential),
      maxHeaderSize: maxHeaderBytes,
    } as RequestOptions);
    // By hand: Node's own option watches every end a stream can have, for each request.
    const giveUp = () => outgoing.destroy(givenUp);
    req.signal?.addEventListener('abort', giveUp, { once: true });
    // Numbers of headers are not limited: some carry who is impersonated, and Node would drop the last in silence.
    outgoing.maxHeadersCount = 0;
    const deadlines = startDeadlines(outgoing, connectTimeoutMs, req.answerTimeoutMs ?? answerTimeoutMs);
    outgoing.once('response', res => resolve({ res }));
    outgoing.once('upgrade', (res, socket, head) => {
      // At once: the other side may have said everything already.
      if (head.length > 0) socket.unshift(head);
      resolve({ res, socket });
    });
    outgoing.once('close', () => {
      deadlines[Symbol.dispose]();
      req.signal?.removeEventListener('abort', giveUp);
    });
    outgoing.on('error', cause => {
      if (req.signal?.aborted) return reject(req.signal.reason);
      const isStale = outgoing.reusedSocket && (cause as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (isStale && !isSecondTry && safeMethods.has(req.method)) return reject(new StaleConnectionError());
      reject(new UnreachableError(`cannot reach "${url.origin}"`, { cause: explainNetworkError(cause, target.host) }));
    });
    promise.then(
      () => deadlines[Symbol.dispose](),
      () => {},
    );
    writeBody(outgoing, req.body);
    return promise;
  }

  function ownHeaders({ headers }: TransportRequest, { authorization }: Credential): Headers {
    return { host: headers?.['host'] ?? url.host, ...options.headers, ...(authorization !== undefined && { authorization }) };
  }

  function agentFor(credential: Credential): ServerAgent {
    if (present && present.credential.certificate === credential.certificate && present.credential.key === credential.key) {
      return present.agent;
    }
    // Requests under way keep the connections of the old one.
    present = { credential, agent: serverAgent(options, credential, maxConnections) };
    return present.agent;
  }
}

/** Made once: whoever gave up knows why, and hears the reason of the signal. */
const givenUp = new Error('the request was given up');

/** A kept connection was closed by the server just when it was used again. */
class StaleConnectionError extends Error {}

function outgoingHeaders({ headers, body }: TransportRequest, own: Headers): OutgoingHttpHeaders {
  const outgoing: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries({ ...headers, ...own })) {
    if (value !== undefined) outgoing[name] = typeof value === 'string' ? value : [...value];
  }
  // Said outright: for some methods Node would send a body without telling where it ends.
  if (body instanceof Readable) {
    if (outgoing['content-length'] === undefined) outgoing['transfer-encoding'] = 'chunked';
  } else if (body !== undefined) outgoing['content-length'] = Buffer.byteLength(body);
  return outgoing;
}

function writeBody(outgoing: ClientRequest, body: TransportRequest['body']): void {
  if (!(body instanceof Readable)) {
    outgoing.end(body);
    return;
  }
  pipeline(body, outgoing, error => {
    if (error) outgoing.destroy(error);
  });
}

/** Destroys the request when no connection, and then when no answer comes in time. */
function startDeadlines(outgoing: ClientRequest, connectTimeoutMs: number, answerTimeoutMs: number): Disposable {
  const give = (what: string, timeoutMs: number) =>
    setTimeout(() => outgoing.destroy(new Error(`${what} within ${timeoutMs / 1000} s`)), timeoutMs);
  let timer: NodeJS.Timeout | undefined = give('no connection', connectTimeoutMs);
  const connected = () => {
    clearTimeout(timer);
    timer = outgoing.destroyed || !Number.isFinite(answerTimeoutMs) ? undefined : give('no answer', answerTimeoutMs);
  };
  outgoing.once('socket', socket => {
    const isReady = !socket.connecting && !(socket as { secureConnecting?: boolean }).secureConnecting;
    if (isReady) return connected();
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      // A peer that vanished without a word is noticed after half a minute, also by streams that wait for it to speak.
      socket.setKeepAlive(true, 15_000, 5_000, 3);
      connected();
    });
  });
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

function responseOf(res: IncomingMessage): TransportResponse {
  return { status: res.statusCode ?? 0, headers: headersOf(res), body: res };
}

function upgradedOf(res: IncomingMessage, socket: Duplex, signal: AbortSignal | undefined): Upgraded {
  // Keeping connections idle has its own timeout, which must not end this one.
  if (socket instanceof Socket) socket.setTimeout(0);
  const end = () => void socket.destroy();
  signal?.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal?.removeEventListener('abort', end));
  return { status: 101, headers: headersOf(res), socket };
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers: Record<string, string | string[]> = {};
  for (const [name, values] of Object.entries(headersDistinct)) {
    if (values) headers[name] = values.length === 1 ? values[0]! : values;
  }
  return headers;
}
