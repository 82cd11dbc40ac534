import type { Egress, EgressRequest } from '../../../sources/egress.ts';
import { SourceError } from '../../../sources/source-error.ts';

export interface AskedAddress {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly code: number;
  readonly body: string;
}

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies EgressRequest['method'][];
/** What is not the user's to say. */
const framing = new Set(['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'accept-encoding']);
const maxAnswerBytes = 256 * 1024;
const timeoutMs = 30_000;

/** One request by the rules of the hub's operator. Throws when there is no answer. */
export async function askHttp(egress: Egress, { url, method, headers, body }: AskedAddress, signal: AbortSignal): Promise<HttpAnswer> {
  if (!methods.includes(method)) throw new SourceError(`"${method}" is no method that can be used`, { isFinal: true });
  const own = Object.entries(headers).filter(([name]) => !framing.has(name.toLowerCase()));
  const answer = await egress.fetch({
    url,
    method: method as NonNullable<EgressRequest['method']>,
    ownHeaders: Object.fromEntries(own),
    ...(body !== undefined && { body }),
    maxBytes: maxAnswerBytes,
    timeoutMs,
    signal,
  });
  return { code: answer.status, body: answer.body.toString('utf8') };
}
