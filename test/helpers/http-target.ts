import { readFileSync } from 'node:fs';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { parse as parseYaml } from 'yaml';
import { printJson, type Json } from '../../src/util/json.ts';

export interface Answer {
  readonly code: number;
  /** Every header as often as it was sent, names in lower case. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
  /** The body as JSON. Throws when it is not. */
  json<T = unknown>(): T;
}

export interface Credentials {
  readonly server: string;
  readonly ca: string | undefined;
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
}

export type RequestBody = string | Buffer | Json | undefined | object;
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface RequestOptions {
  readonly timeoutMs?: number;
  /** Sends no credentials of ours. */
  readonly anonymous?: boolean;
}

/** Something that answers the Kubernetes API, spoken to without a client library, so that nothing is retried, decoded or made nicer. */
export class HttpTarget {
  readonly credentials: Credentials;
  readonly #agent: Agent;
  readonly #anonymousAgent: Agent;

  constructor(credentials: Credentials) {
    this.credentials = credentials;
    const { ca, certificate, key } = credentials;
    const common = { keepAlive: true, maxSockets: 64, ...(ca ? { ca } : { rejectUnauthorized: false }) };
    this.#agent = new Agent({ ...common, ...(certificate ? { cert: certificate } : {}), ...(key ? { key } : {}) });
    this.#anonymousAgent = new Agent(common);
  }

  async request(
    method: string,
    urlPath: string,
    body?: RequestBody,
    headers: RequestHeaders = {},
    options: RequestOptions = {},
  ): Promise<Answer> {
    const response = await this.#send(method, urlPath, body, headers, options);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const text = bytes.toString('utf8');
    return { code: response.statusCode ?? 0, headers: response.headersDistinct, body: bytes, text, json: () => JSON.parse(text) };
  }

  /** Opens a watch or another stream of lines; the answer's head has arrived when the promise resolves. */
  async stream(urlPath: string, headers: RequestHeaders = {}, options: RequestOptions = {}): Promise<LineStream> {
    return new LineStream(await this.#send('GET', urlPath, undefined, headers, { timeoutMs: 600_000, ...options }));
  }

  /** Opens a watch over a WebSocket; it has been answered, with 101 or with a refusal, when the promise resolves. */
  async socket(urlPath: string, headers: RequestHeaders = {}, protocols: readonly string[] = []): Promise<EventStream> {
    const address = this.credentials.server.replace(/^http/, 'ws') + urlPath;
    const webSocket = new WebSocket(address, [...protocols], { headers: { ...headers } as OutgoingHttpHeaders, agent: this.#agent });
    return new Promise((resolve, reject) => {
      webSocket.once('upgrade', answer => resolve(socketStream(webSocket, answer)));
      webSocket.once('unexpected-response', (_req, answer: IncomingMessage) => resolve(new LineStream(answer)));
      webSocket.once('error', cause => reject(new Error(`cannot open a WebSocket to "${urlPath}"`, { cause })));
    });
  }

  close(): void {
    this.#agent.destroy();
    this.#anonymousAgent.destroy();
  }

  #send(method: string, urlPath: string, body: RequestBody, headers: RequestHeaders, options: RequestOptions): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const url = new URL(this.credentials.server);
    const bytes = encodeBody(body);
    const names = new Set(Object.keys(headers).map(name => name.toLowerCase()));
    const outgoing: OutgoingHttpHeaders = {};
    for (const [name, value] of Object.entries(headers)) outgoing[name] = typeof value === 'string' ? value : [...value];
    if (bytes) outgoing['Content-Length'] = bytes.length;
    if (bytes && !names.has('content-type') && !(typeof body === 'string' || Buffer.isBuffer(body)))
      outgoing['Content-Type'] = 'application/json';
    if (this.credentials.token && !options.anonymous && !names.has('authorization'))
      outgoing['Authorization'] = `Bearer ${this.credentials.token}`;

    const timeoutMs = options.timeoutMs ?? 30_000;
    const req = httpsRequest({
      host: url.hostname,
      port: url.port,
      method,
      path: urlPath,
      headers: outgoing,
      // A bearer token of the test's own must not be outvoted by our certificate.
      agent: options.anonymous || names.has('authorization') ? this.#anonymousAgent : this.#agent,
      signal: AbortSignal.timeout(timeoutMs),
    });
    req.on('response', resolve);
    req.on('error', cause => reject(new Error(`cannot ${method} "${urlPath.slice(0, 200)}"`, { cause })));
    req.end(bytes);
    return promise;
  }
}

/** What a watch says, while it does. */
export interface EventStream {
  readonly code: number;
  readonly headers: Answer['headers'];
  /** Of WebSockets, those that are not text in base64. */
  readonly lines: readonly string[];
  readonly isEnded: boolean;
  /** Of a WebSocket that has ended. */
  readonly closeCode?: number;
  close(): void;
}

function socketStream(webSocket: WebSocket, answer: IncomingMessage): EventStream {
  const lines: string[] = [];
  const stream = { code: answer.statusCode ?? 0, headers: answer.headersDistinct, lines, isEnded: false, closeCode: 0, close };
  webSocket.on('message', (data: Buffer, isBinary) => lines.push(data.toString(isBinary ? 'base64' : 'utf8')));
  webSocket.once('close', code => Object.assign(stream, { isEnded: true, closeCode: code }));
  return stream;

  function close(): void {
    webSocket.terminate();
  }
}

export class LineStream implements EventStream {
  readonly code: number;
  readonly headers: Answer['headers'];
  readonly lines: string[] = [];
  readonly ended: Promise<void>;
  isEnded = false;
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.code = response.statusCode ?? 0;
    this.headers = response.headersDistinct;
    this.ended = this.#read();
  }

  close(): void {
    this.#response.destroy();
  }

  async #read(): Promise<void> {
    // readline does not notice a stream that is reset; its close event does.
    const lines = createInterface({ input: this.#response, crlfDelay: Infinity });
    lines.on('error', () => {});
    lines.on('line', line => this.lines.push(line));
    await new Promise<void>(resolve => {
      lines.once('close', resolve);
      this.#response.once('close', resolve);
    });
    lines.close();
    this.isEnded = true;
  }
}

function encodeBody(body: RequestBody): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : printJson(body));
}

interface KubeconfigFile {
  clusters: { name: string; cluster: Record<string, string> }[];
  users: { name: string; user: Record<string, string> }[];
  contexts: { name: string; context: { cluster: string; user: string } }[];
  'current-context': string;
}

/** Reads server and credentials of the current context. */
export function readKubeconfig(file: string): Credentials {
  const config = parseYaml(readFileSync(file, 'utf8')) as KubeconfigFile;
  const context = config.contexts.find(c => c.name === config['current-context'])?.context ?? config.contexts[0]?.context;
  const cluster = config.clusters.find(c => c.name === context?.cluster)?.cluster;
  const user = config.users.find(u => u.name === context?.user)?.user ?? {};
  if (!cluster?.['server']) throw new Error(`kubeconfig "${file}" names no server`);

  const load = (from: Record<string, string>, key: string): string | undefined => {
    const data = from[`${key}-data`];
    if (data) return Buffer.from(data, 'base64').toString('utf8');
    const name = from[key];
    return name ? readFileSync(path.resolve(path.dirname(file), name), 'utf8') : undefined;
  };
  const certificate = load(user, 'client-certificate');
  const key = load(user, 'client-key');
  return {
    server: cluster['server'],
    ca: load(cluster, 'certificate-authority'),
    ...(user['token'] ? { token: user['token'] } : {}),
    ...(certificate ? { certificate } : {}),
    ...(key ? { key } : {}),
  };
}
