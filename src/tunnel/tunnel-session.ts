import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { WebSocket } from 'ws';
import { UnreachableError, type TransportRequest, type TransportResponse, type Upgraded } from '../client/transport.ts';
import { endWebSocket } from '../util/end-web-socket.ts';
import { keepAlive, type KeptAlive } from './keep-alive.ts';
import { closeCodes } from './protocol.ts';
import { hubSessionOptions } from './session-options.ts';
import { awaitAnswer, responseOf, upgradedOf, writeBody } from './stream-exchange.ts';
import { StreamGate } from './stream-gate.ts';
import { streamHeaders, upgradeProtocol, withoutStreamHeaders } from './stream-names.ts';
import { firstHeader, passingHeaders, sizeOf } from './tunnel-headers.ts';
import { tunnelLimits } from './tunnel-limits.ts';
import { webSocketStream } from './web-socket-stream.ts';

export type SessionTimes = { readonly [N in 'pingEveryMs' | 'pingDeadlineMs' | 'openMs' | 'answerMs']: number };

/** The hub's end of one tunnel. Requests that wait when it ends are rejected with UnreachableError, and streams break with it. */
export class TunnelSession {
  /** Resolves with the reason in words. */
  readonly closed: Promise<string>;
  readonly #http2: ClientHttp2Session;
  readonly #webSocket: WebSocket;
  readonly #answerMs: number;
  readonly #alive: KeptAlive;
  readonly #gate = new StreamGate(tunnelLimits);
  readonly #tellClosed: (reason: string) => void;
  #reason: string | undefined;

  private constructor(webSocket: WebSocket, times: SessionTimes) {
    ({ promise: this.closed, resolve: this.#tellClosed } = Promise.withResolvers<string>());
    this.#webSocket = webSocket;
    this.#answerMs = times.answerMs;
    const socket = webSocketStream(webSocket);
    this.#http2 = connect('http://member', { ...hubSessionOptions, createConnection: () => socket });
    const alive = (this.#alive = keepAlive(this.#http2, {
      ...times,
      onDead: () => this.close(closeCodes.unresponsive, `the agent did not answer for ${times.pingDeadlineMs / 1000} s`),
    }));
    this.#http2.once('connect', () => this.#http2.setLocalWindowSize(tunnelLimits.sessionWindowBytes));
    this.#http2.on('error', error => this.#finish(`the tunnel broke: ${error.message}`));
    // An agent speaks for one API server; Node would remember every other name it claims.
    this.#http2.once('origin', () => this.close(closeCodes.protocolError, 'the agent claims other names'));
    this.#http2.once('goaway', () => this.#finish('the agent ended the tunnel'));
    this.#http2.once('close', () => {
      alive[Symbol.dispose]();
      this.#finish('the tunnel was closed');
    });
    webSocket.once('close', (code, reason) => this.#finish(reason.toString() || `the connection of the agent was closed (${code})`));
  }

  /** Rejects, and cuts the connection, when the other side does not speak HTTP/2 in time. */
  static async open(webSocket: WebSocket, times: SessionTimes = tunnelLimits): Promise<TunnelSession> {
    const session = new TunnelSession(webSocket, times);
    const late = setTimeout(() => session.close(closeCodes.protocolError, `no HTTP/2 within ${times.openMs / 1000} s`), times.openMs);
    const answered = new Promise<boolean>(resolve => session.#http2.ping(error => resolve(!error)));
    const isOpen = await Promise.race([answered, session.closed.then(() => false)]);
    clearTimeout(late);
    if (!isOpen) throw new UnreachableError(await session.closed);
    return session;
  }

  get isOpen(): boolean {
    return this.#reason === undefined;
  }

  async request(req: TransportRequest): Promise<TransportResponse> {
    const head = [':method', req.method, ':scheme', 'http', ':authority', 'member', ':path', req.path];
    const stream = await this.#openStream([...head, ...passing(req)], req, req.body === undefined);
    const askedAt = performance.now();
    const answer = await awaitAnswer(stream, req.signal, req.answerTimeoutMs ?? this.#answerMs);
    this.#alive.answered(askedAt);
    return responseOf(answer, stream);
  }

  async upgrade(req: TransportRequest): Promise<Upgraded | TransportResponse> {
    const upgrade = firstHeader(req.headers ?? {}, 'upgrade');
    if (upgrade === undefined) throw new Error('the request has no "Upgrade" header');
    const head = [':method', 'CONNECT', ':protocol', upgradeProtocol, ':scheme', 'http', ':authority', 'member', ':path', req.path];
    const own = [streamHeaders.method, req.method, streamHeaders.upgrade, upgrade];
    const stream = await this.#openStream([...head, ...own, ...passing(req)], req, false);
    return upgradedOf(await awaitAnswer(stream, req.signal, req.answerTimeoutMs ?? this.#answerMs), stream);
  }

  /** Tells the agent why, and ends everything under way at once. */
  close(code: number, reason: string): void {
    if (this.#reason !== undefined) return;
    endWebSocket(this.#webSocket, code, reason);
    this.#finish(reason);
  }

  async #openStream(raw: string[], { path, body, signal }: TransportRequest, endStream: boolean): Promise<ClientHttp2Stream> {
    if (!path.startsWith('/')) throw new Error(`the path ${JSON.stringify(path.slice(0, 100))} does not begin with a slash`);
    const size = sizeOf(raw);
    if (size > tunnelLimits.headerBytes) throw new Error(`the request has ${size} bytes of headers, more than ${tunnelLimits.headerBytes}`);
    const entering = this.#gate.enter(signal);
    if (entering) await entering;
    let stream: ClientHttp2Stream;
    try {
      signal?.throwIfAborted();
      if (this.#reason !== undefined) throw new UnreachableError(this.#reason);
      stream = this.#http2.request(raw, { endStream });
    } catch (error) {
      this.#gate.leave({ wasReset: false });
      throw error;
    }
    stream.once('close', () => this.#gate.leave({ wasReset: stream.rstCode !== constants.NGHTTP2_NO_ERROR }));
    // Whoever reads the answer hears of its errors; nobody else must be brought down by them.
    stream.on('error', () => {});
    if (body !== undefined) writeBody(stream, body);
    return stream;
  }

  #finish(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#http2.destroy(new UnreachableError(reason));
    this.#tellClosed(reason);
  }
}

const passing = ({ headers = {} }: TransportRequest): string[] => withoutStreamHeaders(passingHeaders(headers));
