import type { ServerResponse } from 'node:http';
import type { ListBody } from '../list-body.ts';
import { send, setWarnings, type AnswerContext } from './answer.ts';

const chunkBytes = 256 * 1024;
/** Chunks of one list that may be on their way to its client. */
const maxUnderWay = 4;
/** Chunks kept for the next list. Fresh memory for every list would cost more than filling it. */
const maxKept = 32;
const kept: Buffer[] = [];

/** Sends a list without ever holding the whole of it, and lets others have their turn while the client reads. */
export async function sendList(ctx: AnswerContext, body: ListBody): Promise<void> {
  if (body.size <= chunkBytes || ctx.acceptsGzip) {
    const whole = Buffer.allocUnsafe(body.size);
    body.fill(whole);
    return send(ctx, 200, 'application/json', [whole]);
  }
  const { res } = ctx;
  setWarnings(ctx);
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', body.size);
  res.writeHead(200);
  let underWay = 0;
  let proceed: () => void = () => {};
  res.once('close', () => proceed());
  for (let left = body.size; left > 0 && !res.closed;) {
    if (underWay >= maxUnderWay) {
      await new Promise<void>(resolve => (proceed = resolve));
      continue;
    }
    const chunk = kept.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
    const length = body.fill(chunk);
    left -= length;
    underWay++;
    write(res, chunk, length, () => {
      underWay--;
      proceed();
    });
  }
  res.end();
}

function write(res: ServerResponse, chunk: Buffer, length: number, done: () => void): void {
  res.write(chunk.subarray(0, length), error => {
    // After a failure the socket may still hold on to it.
    if (!error && kept.length < maxKept) kept.push(chunk);
    done();
  });
}
