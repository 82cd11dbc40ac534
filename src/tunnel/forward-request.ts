import type { IncomingMessage } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Headers, Transport, TransportResponse } from '../client/transport.ts';
import { errorText } from '../util/error-text.ts';
import { readSide } from './plain-stream.ts';
import { encodeFailure } from './stream-exchange.ts';
import { streamHeaders, withoutStreamHeaders } from './stream-names.ts';
import { passingHeaders } from './tunnel-headers.ts';
import { tunnelLimits } from './tunnel-limits.ts';

export interface StreamHead {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

/** Made once: an error is dear, and this one tells nobody anything. */
export const brokenOff = new Error('the hub broke the stream off');

/** Carries one request of the hub to the API server and its answer back. Never rejects. */
export async function forwardRequest(stream: ServerHttp2Stream, head: StreamHead, target: Transport): Promise<void> {
  const aborter = new AbortController();
  const abort = () => aborter.abort(brokenOff);
  stream.once('close', abort);
  try {
    // The stream must outlive its reader: the answer goes out on it.
    const body = stream.endAfterHeaders ? {} : { body: readSide(stream, () => stream.resume()) };
    const answer = await target.request({ ...targetRequest(head, aborter.signal), ...body });
    stream.off('close', abort);
    answerWith(answer, stream);
  } catch (error) {
    fail(stream, error);
  }
}

/** Throws when the path could lead anywhere but to the API server. */
export function targetRequest({ method, path, headers }: StreamHead, signal: AbortSignal) {
  if (!path.startsWith('/')) throw new Error(`the path ${JSON.stringify(path.slice(0, 100))} does not begin with a slash`);
  const { authorization: _, ...passed } = headers;
  // How long to wait is for the hub to say: it breaks the stream off.
  return { method, path, headers: passed, signal, answerTimeoutMs: Infinity };
}

export function answerWith({ status, headers, body }: TransportResponse, stream: ServerHttp2Stream): void {
  if (stream.destroyed || stream.closed) {
    body.destroy();
    return;
  }
  stream.respond([':status', String(status), ...withoutStreamHeaders(passingHeaders(headers))]);
  if (isThere(body)) {
    stream.end(allOf(body));
    return;
  }
  stream.once('close', () => body.destroy());
  // A body that ends early must not look complete.
  body.once('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  body.once('close', () => {
    if (!body.readableEnded) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  body.pipe(stream);
}

/** Short answers come with their heads: all of it has been received, and only waits to be read. */
function isThere(body: TransportResponse['body']): boolean {
  return (body as Partial<IncomingMessage>).complete === true && body.readableLength <= tunnelLimits.streamWindowBytes;
}

/** What was received, in however many pieces it came: a read may give one of them. */
function allOf(body: TransportResponse['body']): Buffer {
  const pieces: Buffer[] = [];
  for (let piece = body.read() as Buffer | null; piece !== null; piece = body.read() as Buffer | null) pieces.push(piece);
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/** The API server could not be asked: the hub learns why. */
export function fail(stream: ServerHttp2Stream, error: unknown): void {
  if (stream.destroyed || stream.headersSent) {
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  stream.respond([':status', '502', streamHeaders.failure, encodeFailure(errorText(error))], { endStream: true });
}
