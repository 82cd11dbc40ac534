import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { serviceUnavailable } from '../api/status.ts';
import { notesOf } from '../auth/request-notes.ts';
import type { Transport, TransportRequest, TransportResponse } from '../client/transport.ts';
import { detachedBody } from '../util/detached-body.ts';
import { answerHeaders } from './forwarded-headers.ts';

const idleAnswerMs = 300_000;

export interface Carried {
  readonly transport: Transport;
  readonly request: TransportRequest;
  /** Where the member's API is found at the hub: redirects lead back there. */
  readonly clusterPath: string;
  readonly isStream: boolean;
}

/** Carries a request to a member and its answer back, both as they come and no faster than they are read. */
export async function carryRequest(carried: Carried, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { transport, request } = carried;
  const body = bodyOf(req);
  await carryAnswer(await transport.request(body ? { ...request, body } : request), carried, res);
}

export async function carryAnswer(answer: TransportResponse, { clusterPath, isStream }: Carried, res: ServerResponse): Promise<void> {
  if (answer.status < 200 || answer.status > 599) {
    answer.body.destroy();
    throw serviceUnavailable('the answer of the cluster is no HTTP answer');
  }
  res.writeHead(answer.status, answerHeaders(answer.headers, clusterPath));
  // A watch says nothing for a while; its headers must not wait for the first event.
  res.flushHeaders();
  if (isStream) notesOf(res.req).onStream?.(answer.status);
  using _idle = isStream ? undefined : endWhenIdle(answer.body);
  await pipeline(answer.body, res);
}

function bodyOf(req: IncomingMessage): Readable | undefined {
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  return hasBody ? detachedBody(req) : undefined;
}

/** Ends an answer that has stopped coming or has stopped being read. */
function endWhenIdle(body: Readable): Disposable {
  let hasMoved = true;
  const look = setInterval(() => {
    if (!hasMoved) body.destroy(new Error(`the answer stood still for ${idleAnswerMs / 1000} s`));
    hasMoved = false;
  }, idleAnswerMs).unref();
  body.on('data', () => {
    hasMoved = true;
  });
  return { [Symbol.dispose]: () => clearInterval(look) };
}
