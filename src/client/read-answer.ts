import type { Readable } from 'node:stream';
import { StatusError, type Status } from '../api/status.ts';
import { isJsonObject, parseJson, type Json } from '../util/json.ts';
import { explainNetworkError } from './network-error.ts';
import { UnreachableError, type Headers, type TransportResponse } from './transport.ts';

const maxAnswerBytes = 256 * 1024 * 1024;
const maxShownText = 500;

/** The whole body. Throws UnreachableError when it breaks off, AnswerTooLargeError when there is too much of it. */
export async function readBytes(body: Readable, maxBytes = maxAnswerBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw new AnswerTooLargeError(`the answer is larger than ${maxBytes} bytes`);
      chunks.push(chunk as Buffer);
    }
  } catch (cause) {
    if (cause instanceof AnswerTooLargeError) throw cause;
    throw brokenOff(cause);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** What is said of a body that ended before its end. */
export const brokenOff = (cause: unknown): UnreachableError =>
  new UnreachableError('the answer broke off', { cause: explainNetworkError(cause, '') });

/** There is more of an answer than anybody reads. */
export class AnswerTooLargeError extends Error {}

/** The JSON of a good answer; any other answer becomes a StatusError. */
export async function readJson(res: TransportResponse): Promise<Json> {
  if (res.status < 200 || res.status > 299) throw await readStatusError(res);
  const text = (await readBytes(res.body)).toString('utf8');
  try {
    return parseJson(text);
  } catch (cause) {
    throw new Error(`the server did not answer with JSON but with ${JSON.stringify(text.slice(0, maxShownText))}`, { cause });
  }
}

/** What the server says about a failed request, in its own words wherever it found any. */
export async function readStatusError(res: TransportResponse): Promise<StatusError> {
  const text = (await readBytes(res.body, 1024 * 1024)).toString('utf8').trim();
  const status = parseStatus(text);
  if (status) return statusErrorOf(status, res.status, retryAfterOf(res.headers));
  const message = text === '' ? `the server answered ${res.status}` : text.slice(0, maxShownText);
  const retryAfterSeconds = retryAfterOf(res.headers);
  return new StatusError(
    res.status,
    reasons[res.status] ?? '',
    message,
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  );
}

export function statusErrorOf(status: Partial<Status>, code: number, retryAfterSeconds?: number): StatusError {
  const { metadata } = status;
  const details = retryAfterSeconds === undefined ? status.details : { retryAfterSeconds, ...status.details };
  const continueToken = metadata?.continue;
  return new StatusError(
    status.code ?? code,
    status.reason ?? '',
    status.message ?? `the server answered ${code}`,
    details,
    continueToken === undefined || continueToken === '' ? undefined : { continueToken },
  );
}

function parseStatus(text: string): Partial<Status> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value = parseJson(text);
    return isJsonObject(value) && value.kind === 'Status' ? (value as unknown as Partial<Status>) : undefined;
  } catch {
    return undefined;
  }
}

function retryAfterOf(headers: Headers): number | undefined {
  const value = headers['retry-after'];
  return typeof value === 'string' && /^[0-9]{1,6}$/.test(value) ? Number(value) : undefined;
}

/** For answers without a Status: proxies and old paths. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
