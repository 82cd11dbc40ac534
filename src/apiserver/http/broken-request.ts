import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { methodNotAllowed } from '../../api/status.ts';

interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

const requestLine = /^[A-Za-z]+ [!-~]+ HTTP\/1\.[01]\r\n/;
const notAllowed = `${JSON.stringify(methodNotAllowed().toStatus())}\n`;

/** Answers bytes that are not a request Node can read, and hangs up: nothing after them can be trusted. */
export function refuseBrokenRequest(error: ParseError, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return answer(socket, '431 Request Header Fields Too Large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return answer(socket, '408 Request Timeout');
    // Node reads only methods it has heard of; no path here offers another one.
    case 'HPE_INVALID_METHOD':
      if (!requestLine.test(error.rawPacket?.toString('latin1') ?? '')) return answer(socket, '400 Bad Request');
      return answer(socket, '405 Method Not Allowed', notAllowed, [
        'Content-Type: application/json',
        'Cache-Control: no-cache, private',
        `Audit-Id: ${randomUUID()}`,
      ]);
    default:
      return answer(socket, '400 Bad Request');
  }
}

function answer(socket: Duplex, status: string, body = status, headers = ['Content-Type: text/plain; charset=utf-8']): void {
  const head = [`HTTP/1.1 ${status}`, ...headers, 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
