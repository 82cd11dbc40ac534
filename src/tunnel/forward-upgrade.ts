import type { ServerHttp2Stream } from 'node:http2';
import type { Transport, Upgraded } from '../client/transport.ts';
import { joinStreams } from '../util/join-streams.ts';
import { answerWith, brokenOff, fail, targetRequest, type StreamHead } from './forward-request.ts';
import { bothSides } from './plain-stream.ts';
import { streamHeaders, withoutStreamHeaders } from './stream-names.ts';
import { firstHeader, passingHeaders } from './tunnel-headers.ts';

/** Carries a connection that leaves HTTP (exec, attach, port-forward). Never rejects. */
export async function forwardUpgrade(stream: ServerHttp2Stream, head: StreamHead, target: Transport): Promise<void> {
  const aborter = new AbortController();
  stream.once('close', () => aborter.abort(brokenOff));
  try {
    const method = firstHeader(head.headers, streamHeaders.method);
    const upgrade = firstHeader(head.headers, streamHeaders.upgrade);
    if (method === undefined || upgrade === undefined) throw new Error('the request does not say what it wants to become');
    const { [streamHeaders.method]: _method, [streamHeaders.upgrade]: _upgrade, ...headers } = head.headers;
    const request = targetRequest({ method, path: head.path, headers: { ...headers, connection: 'Upgrade', upgrade } }, aborter.signal);
    const answer = await target.upgrade(request);
    if ('socket' in answer) join(answer, upgrade, stream);
    else answerWith(answer, stream);
  } catch (error) {
    fail(stream, error);
  }
}

function join({ headers, socket }: Upgraded, asked: string, stream: ServerHttp2Stream): void {
  if (stream.destroyed || stream.closed) {
    socket.destroy();
    return;
  }
  const became = firstHeader(headers, 'upgrade') ?? asked;
  stream.respond([':status', '200', streamHeaders.upgrade, became, ...withoutStreamHeaders(passingHeaders(headers))]);
  void joinStreams(socket, bothSides(stream));
}
