import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { endWebSocket } from '../util/end-web-socket.ts';
import { closeCodes } from './protocol.ts';
import { tunnelLimits } from './tunnel-limits.ts';

const longestMessage = tunnelLimits.messageBytes / 2;
const writeAheadBytes = 64 * 1024;
const binary = { binary: true, compress: false };
// A message that cannot be sent closes the WebSocket, which is heard below.
const ignore = () => {};

/**
 * The bytes of a WebSocket's binary messages as a stream, with back-pressure in both directions. Destroying the stream cuts the connection; whoever
 * wants to say why closes the WebSocket first.
 */
export function webSocketStream(webSocket: WebSocket): Duplex {
  const stream = new Duplex({
    read: () => webSocket.resume(),
    write: (chunk: Buffer, _encoding, done) => send(chunk, done),
    writev: (chunks, done) => sendAll(chunks as { chunk: Buffer }[], done),
    final: done => {
      webSocket.close();
      done();
    },
    destroy: (error, done) => {
      if (webSocket.readyState !== webSocket.CLOSING) webSocket.terminate();
      done(error);
    },
  });

  webSocket.on('message', (data: RawData, isBinary: boolean) => {
    if (!isBinary) {
      endWebSocket(webSocket, closeCodes.protocolError, 'only binary messages are expected');
      stream.destroy(new Error('the other side sent a text message'));
      return;
    }
    if (!stream.push(data as Buffer)) webSocket.pause();
  });
  webSocket.on('error', error => stream.destroy(error));
  webSocket.on('close', () => stream.destroy());
  return stream;

  /** The next message may follow while the last one is still leaving, up to a bound: waiting each time would cost a turn of the loop. */
  function send(message: Buffer, done: (error?: Error | null) => void): void {
    const isAhead = webSocket.bufferedAmount < writeAheadBytes;
    webSocket.send(message, binary, isAhead ? ignore : done);
    if (isAhead) done();
  }

  /** Few messages instead of many: a frame, a mask and a system call are saved each time. */
  function sendAll(chunks: readonly { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    const messages = inMessages(chunks.map(one => one.chunk));
    const last = messages.pop();
    if (!last) {
      done();
      return;
    }
    for (const message of messages) webSocket.send(message, binary, ignore);
    // Messages leave in order: when the last has left, all have, and when one fails, so does the last.
    send(last, done);
  }
}

/** The same bytes in as few buffers as the longest message allows. */
export function inMessages(chunks: readonly Buffer[]): Buffer[] {
  const messages: Buffer[] = [];
  let gathered: Buffer[] = [];
  let size = 0;
  for (const chunk of chunks) {
    if (size > 0 && size + chunk.length > longestMessage) {
      messages.push(Buffer.concat(gathered, size));
      gathered = [];
      size = 0;
    }
    gathered.push(chunk);
    size += chunk.length;
  }
  if (size > 0) messages.push(gathered.length === 1 ? gathered[0]! : Buffer.concat(gathered, size));
  return messages;
}
