import { Readable } from 'node:stream';
import type { Transport, TransportRequest, TransportResponse } from '../client/transport.ts';
import { answerLoad, loadType, podsPath } from '../core/clusters/member-load.ts';
import { firstHeader } from '../tunnel/tunnel-headers.ts';

/** The way to the API server of a cluster, on which the hub may ask what its pods need together instead of for each of them. */
export function withLoad(target: Transport): Transport {
  return {
    request: req => (asksForLoad(req) ? answer(target, req) : target.request(req)),
    upgrade: req => target.upgrade(req),
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  };
}

const asksForLoad = ({ method, path, headers = {} }: TransportRequest): boolean =>
  method === 'GET' && path.startsWith(`${podsPath}?`) && firstHeader(headers, 'accept')?.startsWith(loadType) === true;

async function answer(target: Transport, req: TransportRequest): Promise<TransportResponse> {
  const answered = await answerLoad(one => target.request(one), req);
  if ('status' in answered) return answered;
  const body = Readable.from([Buffer.from(JSON.stringify(answered))], { objectMode: false });
  return { status: 200, headers: { 'content-type': loadType }, body };
}
