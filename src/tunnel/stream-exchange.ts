import type { ClientHttp2Stream } from 'node:http2';
import { Readable } from 'node:stream';
import { UnreachableError, type TransportRequest, type TransportResponse, type Upgraded } from '../client/transport.ts';
import { decodeEscapes } from '../util/decode-escapes.ts';
import { asUnreachable, bothSides, readSide } from './plain-stream.ts';
import { streamHeaders } from './stream-names.ts';
import { firstHeader, headersOf } from './tunnel-headers.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
}

/** Waits for the head of an answer. Rejects with the reason of the signal, or with UnreachableError. */
export function awaitAnswer(stream: ClientHttp2Stream, signal: AbortSignal | undefined, timeoutMs: number): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let isAnswered = false;
  const giveUp = () => void stream.destroy(new UnreachableError(`no answer within ${timeoutMs / 1000} s`));
  const timer = Number.isFinite(timeoutMs) ? setTimeout(giveUp, timeoutMs) : undefined;
  // The signal stays: later it ends the stream of the answer.
  const abort = () => void stream.destroy(asError(signal?.reason));
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  stream.once('response', (headers, _flags, raw?: string[]) => {
    isAnswered = true;
    clearTimeout(timer);
    const answer = { status: Number(headers[':status']), headers: headersOf(raw ?? []) };
    const failure = firstHeader(answer.headers, streamHeaders.failure);
    if (failure === undefined) return resolve(answer);
    reject(new UnreachableError(decodeEscapes(failure)));
    stream.resume();
  });
  stream.once('error', error => {
    if (signal?.aborted) return reject(signal.reason);
    reject(asUnreachable(error));
  });
  stream.once('close', () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    if (!isAnswered) reject(new UnreachableError('the agent gave no answer'));
  });
  return promise;
}

export function writeBody(stream: ClientHttp2Stream, body: NonNullable<TransportRequest['body']>): void {
  if (!(body instanceof Readable)) {
    stream.end(body);
    return;
  }
  body.once('error', error => stream.destroy(error));
  // An answer may come before the whole body is sent; the rest is then of no use to anybody.
  stream.once('close', () => body.destroy());
  body.pipe(stream);
}

export const responseOf = ({ status, headers }: Answer, stream: ClientHttp2Stream): TransportResponse => ({
  status,
  headers,
  body: readSide(stream),
});

/** What an agent answered to a request that wanted to leave HTTP: it has, or it has not. */
export function upgradedOf(answer: Answer, stream: ClientHttp2Stream): Upgraded | TransportResponse {
  const became = firstHeader(answer.headers, streamHeaders.upgrade);
  if (became === undefined) {
    stream.end();
    return responseOf(answer, stream);
  }
  const { [streamHeaders.upgrade]: _, ...headers } = answer.headers;
  return { status: 101, headers: { ...headers, connection: 'Upgrade', upgrade: became }, socket: bothSides(stream) };
}

/** Words for people may hold anything; a header may not. */
export const encodeFailure = (text: string): string => encodeURIComponent(text.slice(0, 1000).toWellFormed());

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
