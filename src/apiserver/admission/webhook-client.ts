import { StatusError } from '../../api/status.ts';
import type { AdmissionregistrationV1WebhookClientConfig as WebhookClientConfig } from '../../api/kubernetes.ts';
import { parseJson, isJsonObject, printJson, type Json } from '../../util/json.ts';
import { goNetworkError } from '../aggregation/go-network-error.ts';
import type { HttpsPools, TlsTarget } from '../aggregation/https-pools.ts';
import type { ResolveService } from '../aggregation/resolve-service.ts';
import { BodySyntaxError, decodeJson, decodeYaml } from '../http/read-body.ts';
import { documentProblem } from '../verbs/body-type.ts';

export interface WebhookClientDeps {
  readonly pools: HttpsPools;
  readonly resolveService: ResolveService;
  /** Webhooks of this very process, by their address: they are asked without a network. None when absent. */
  readonly own?: OwnWebhooks | undefined;
}

export type OwnWebhooks = (url: string) => ((review: Json, signal: AbortSignal) => Promise<Json>) | undefined;

export interface WebhookCall {
  readonly client: WebhookClientConfig;
  readonly body: Json;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** An answer larger than this is not read to its end. */
const maxBodyBytes = 16 * 1024 * 1024;

/** Where a call goes, as the configuration writes it: Go keeps a port that is the default one, the URL class does not. */
interface Address {
  readonly authority: string;
  readonly path: string;
  readonly url: string;
}

/** Posts a review and returns the answer's JSON. The message of what it throws is the one Go's client would give. */
export async function callWebhook({ pools, resolveService, own }: WebhookClientDeps, call: WebhookCall): Promise<Json> {
  const near = call.client.url === undefined ? undefined : own?.(call.client.url);
  // Whoever is in the same process answers as soon as anybody here could: that it is busy is no reason to refuse.
  if (near) return near(parseJson(printJson(call.body)), call.signal);
  const deadline = AbortSignal.timeout(call.timeoutSeconds * 1000);
  const address = addressOf(call.client, call.timeoutSeconds);
  const shown = `Post ${JSON.stringify(address.url)}`;
  let target: TlsTarget | undefined;
  try {
    target = await locate(call.client, address, resolveService);
    const answer = await pools.get(target).request({
      method: 'POST',
      path: address.path,
      headers: { host: address.authority, ...fixedHeaders },
      body: printJson(call.body),
      signal: AbortSignal.any([call.signal, deadline]),
    });
    return await readAnswer(answer.status, String(answer.headers['content-type'] ?? ''), answer.body);
  } catch (error) {
    if (error instanceof AnswerError) throw new Error(error.message, { cause: error });
    if (deadline.aborted) throw new Error(`${shown}: context deadline exceeded`, { cause: error });
    if (call.signal.aborted) throw new Error(`${shown}: context canceled`, { cause: error });
    if (error instanceof StatusError) throw new Error(`${shown}: ${error.message}`, { cause: error });
    throw new Error(`${shown}: ${target ? goNetworkError(error, target) : (error as Error).message}`, { cause: error });
  }
}

const fixedHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, */*',
  'user-agent': 'kube-apiserver-admission',
};

function addressOf({ url = '', service }: WebhookClientConfig, timeoutSeconds: number): Address {
  const timeout = `timeout=${timeoutSeconds}s`;
  if (service) {
    const authority = `${service.name}.${service.namespace}.svc:${service.port ?? 443}`;
    const path = `/${(service.path ?? '').replace(/^\/+/, '')}?${timeout}`;
    return { authority, path, url: `https://${authority}${path}` };
  }
  const [, authority = '', rest = ''] = /^https:\/\/([^/?#]+)([^#]*)/.exec(url) ?? [];
  const path = `${rest.startsWith('/') ? rest : `/${rest}`}${rest.includes('?') ? '&' : '?'}${timeout}`;
  return { authority, path, url: `https://${authority}${path}` };
}

async function locate({ service, caBundle }: WebhookClientConfig, { url }: Address, resolveService: ResolveService): Promise<TlsTarget> {
  const ca = caBundle ? { ca: Buffer.from(String(caBundle), 'base64').toString('utf8') } : {};
  if (service) {
    const { name = '', namespace = '', port = 443 } = service;
    return { ...(await resolveService({ namespace, name, port })), ...ca };
  }
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: Number(port || 443), servername: host, ...ca };
}

class AnswerError extends Error {}

async function readAnswer(status: number, contentType: string, body: AsyncIterable<Uint8Array>): Promise<Json> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new AnswerError(`webhook response body is larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const mediaType = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const isText = mediaType === '' || mediaType.startsWith('text/');
  if (status < 200 || status > 206) throw new AnswerError(statusMessage(text) ?? refusal(status, isText ? text.trim() : 'unknown'));
  return readDocument(text);
}

/** What does not look like JSON is read as YAML. */
function readDocument(text: string): Json {
  try {
    const { value } = text.trimStart().startsWith('{') ? decodeJson(text) : decodeYaml(text);
    const problem = documentProblem(value);
    if (problem === undefined) return value;
    throw new AnswerError(problem);
  } catch (error) {
    if (error instanceof BodySyntaxError) throw new AnswerError(error.message);
    throw error;
  }
}

/** A server that refuses in the words of Kubernetes is quoted. */
function statusMessage(text: string): string | undefined {
  try {
    const json = parseJson(text);
    return isJsonObject(json) && json['kind'] === 'Status' && typeof json['message'] === 'string' ? json['message'] : undefined;
  } catch {
    return undefined;
  }
}

const maxQuotedLength = 2048;
const refusals: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** What Go's client says of a status that came without an object. */
function refusal(status: number, said: string): string {
  const quoted = said.slice(0, maxQuotedLength);
  if (status === 403 || status === 415) return quoted;
  if (status === 406) {
    return quoted === '' || quoted === 'unknown' ? 'the server was unable to respond with a content type that the client supports' : quoted;
  }
  const known = refusals[status];
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${JSON.stringify(quoted)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}
