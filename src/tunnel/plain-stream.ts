import { constants, type Http2Stream } from 'node:http2';
import { Duplex, Readable } from 'node:stream';
import { UnreachableError } from '../client/transport.ts';

/*
 * An Http2Stream calls itself closed as soon as both sides are done, while its reader may still be behind; pipeline() and `for await` take that
 * for a break. So it is shown to nobody: these streams close when they have been read.
 */

/** The bytes that come in. Destroying it early breaks the stream off, unless `whenLeft` says otherwise. */
export function readSide(stream: Http2Stream, whenLeft: () => void = () => cancel(stream)): Readable {
  const reader = new Readable({
    read: () => void stream.resume(),
    destroy: (error, done) => {
      if (!stream.readableEnded) whenLeft();
      done(error);
    },
  });
  feed(reader, stream);
  return reader;
}

/** Both directions, each of which may end before the other. */
export function bothSides(stream: Http2Stream): Duplex {
  const duplex = new Duplex({
    read: () => void stream.resume(),
    write: (chunk: Buffer, _encoding, done) => void stream.write(chunk, done),
    final: done => void stream.end(done),
    destroy: (error, done) => {
      if (error === null && stream.writableFinished) partInPeace(stream);
      else if (!stream.readableEnded || !stream.writableFinished) cancel(stream);
      done(error);
    },
  });
  feed(duplex, stream);
  return duplex;
}

/** How long the other side may take to finish as well. */
const partingMs = 5_000;

/**
 * Everything was said, and nobody listens any more. Breaking the stream off now would overtake what the other side has not read yet, so it is left to
 * finish by itself, for a while.
 */
function partInPeace(stream: Http2Stream): void {
  if (stream.readableEnded) return;
  stream.resume();
  const timer = setTimeout(() => cancel(stream), partingMs);
  stream.once('close', () => clearTimeout(timer));
}

function feed(reader: Readable, stream: Http2Stream): void {
  let isComplete = false;
  stream.on('data', (chunk: Buffer) => {
    if (!reader.push(chunk) && !reader.destroyed) stream.pause();
  });
  stream.once('end', () => {
    // A stream that is reset says that it ends as well.
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
    isComplete = true;
    reader.push(null);
  });
  stream.once('error', error => reader.destroy(asUnreachable(error)));
  stream.once('close', () => {
    if (!isComplete) reader.destroy(asUnreachable(undefined));
  });
  // Whoever reads hears of errors; nobody else must be brought down by them.
  reader.on('error', () => {});
}

export function asUnreachable(cause: Error | undefined): Error {
  if (cause instanceof UnreachableError || cause?.name === 'AbortError') return cause;
  return new UnreachableError('the tunnel broke before the end', cause && { cause });
}

function cancel(stream: Http2Stream): void {
  stream.close(constants.NGHTTP2_CANCEL);
  stream.resume();
}
