import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { WebSocket } from 'ws';
import { explainNetworkError } from '../client/network-error.ts';
import { serverAgent, type ServerAgent } from '../client/server-agent.ts';
import { connectPath, subprotocol } from '../tunnel/protocol.ts';
import { tunnelLimits } from '../tunnel/tunnel-limits.ts';
import { HubAbsentError, refusalOf } from './hub-errors.ts';

export interface HubLinkOptions {
  readonly server: string;
  /** PEM; the authorities of the system when absent. */
  readonly ca?: string | undefined;
  /** Before it is known whom to trust, and for nothing secret. */
  readonly isUnverified?: boolean;
  /** Where `HTTPS_PROXY` and `NO_PROXY` are looked up. */
  readonly env: NodeJS.ProcessEnv;
}

export interface HubRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HubAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

const answerMs = 15_000;
const maxAnswerBytes = 1024 * 1024;

/** One attempt to speak with the hub: requests and then the WebSocket on one connection, with a fresh look-up of the hub's name. */
export class HubLink implements Disposable {
  readonly #url: URL;
  readonly #agent: ServerAgent;

  constructor({ server, ca, isUnverified = false, env }: HubLinkOptions) {
    this.#url = new URL(server);
    this.#agent = serverAgent({ server, ca, insecureSkipTlsVerify: isUnverified, proxyEnv: env }, {}, 2);
  }

  /** Answers with any status count; no answer is a HubAbsentError. */
  async request({ method, path, headers = {}, body }: HubRequest, signal: AbortSignal): Promise<HubAnswer> {
    const open = this.#url.protocol === 'http:' ? httpRequest : httpsRequest;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
    const req = open(this.#urlOf(path), {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      agent: this.#agent,
      signal: deadline,
    });
    req.once('response', resolve);
    req.once('error', reject);
    req.end(body);
    try {
      const res = await promise;
      return { status: res.statusCode ?? 0, headers: res.headers, text: await readText(res) };
    } catch (error) {
      if (deadline.aborted && !signal.aborted) throw new HubAbsentError(`no answer within ${answerMs / 1000} s`, 'TIMEOUT');
      throw this.#explain(error, signal);
    }
  }

  /**
   * Opens the WebSocket. `opened` is called in the same turn in which it opens, since the hub speaks first. Rejects with HubRefusedError when the
   * hub says no, with HubAbsentError when it does not answer.
   */
  async connect<T>(headers: Readonly<Record<string, string>>, signal: AbortSignal, opened: (webSocket: WebSocket) => T): Promise<T> {
    signal.throwIfAborted();
    const url = this.#urlOf(connectPath);
    url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
    const webSocket = new WebSocket(url, subprotocol, {
      agent: this.#agent,
      headers,
      handshakeTimeout: answerMs,
      perMessageDeflate: false,
      maxPayload: tunnelLimits.messageBytes,
    });
    const { promise, resolve, reject } = Promise.withResolvers<{ value: T }>();
    const giveUp = () => webSocket.terminate();
    signal.addEventListener('abort', giveUp, { once: true });
    webSocket.once('open', () => resolve({ value: opened(webSocket) }));
    webSocket.once('unexpected-response', (_req, res) => {
      res.setTimeout(answerMs, () => res.destroy());
      readText(res)
        .then(text => reject(refusalOf({ status: res.statusCode ?? 0, headers: res.headers, text })), reject)
        .finally(() => webSocket.terminate());
    });
    webSocket.on('error', error => reject(this.#explain(error, signal)));
    try {
      return (await promise).value;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #urlOf(path: string): URL {
    return new URL(`${this.#url.pathname.replace(/\/+$/, '')}${path}`, this.#url);
  }

  #explain(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    const { code } = error as NodeJS.ErrnoException;
    return new HubAbsentError(explainNetworkError(error, this.#url.hostname).message, code ?? '');
  }
}

async function readText(res: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of res as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error(`the answer of the hub is longer than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
