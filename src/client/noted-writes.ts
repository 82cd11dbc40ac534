import { Readable } from 'node:stream';
import { isJsonObject, parseJson } from '../util/json.ts';
import { noteWrite, traceparent, whileWriting } from '../util/trace.ts';
import { readBytes } from './read-answer.ts';
import type { Transport, TransportResponse } from './transport.ts';

/** A way to the API of the hub that remembers, while traces are recorded, which step wrote what: also of requests that are only passed on. */
export function notedWrites(way: Transport): Transport {
  return {
    async request(req) {
      if (req.method === 'GET' || traceparent() === undefined) return way.request(req);
      return whileWriting(async () => {
        const res = await way.request(req);
        return res.status < 300 ? note(res) : res;
      });
    },
    upgrade: req => way.upgrade(req),
    [Symbol.asyncDispose]: () => way[Symbol.asyncDispose](),
  };
}

async function note(res: TransportResponse): Promise<TransportResponse> {
  const bytes = await readBytes(res.body);
  try {
    const written = parseJson(bytes.toString('utf8'));
    if (isJsonObject(written)) noteWrite(written);
  } catch {
    // Protobuf, or no object at all: a trace that ends here is no harm.
  }
  return { ...res, body: Readable.from([bytes]) };
}
