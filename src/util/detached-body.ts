import { PassThrough, type Readable } from 'node:stream';

/** A stream of its own: whoever gives up sending must not take the client's connection with it, which still waits for an answer. */
export const detachedBody = (req: Readable): Readable => req.pipe(new PassThrough());
