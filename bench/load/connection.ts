import { connect, type TLSSocket } from 'node:tls';
import type { Credentials } from '../../test/helpers/http-target.ts';

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const newline = 10;
const revisionKey = Buffer.from('"resourceVersion":"');

export interface Reply {
  readonly code: number;
  /** Bytes of the body. */
  readonly size: number;
  /** The first piece of the body that arrived. */
  readonly start: string;
}

/**
 * One keep-alive HTTPS connection that speaks just enough HTTP/1.1 to load a server: it counts bodies instead of keeping them, so that the
 * generator takes as little of the shared processors as possible.
 */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #authority: string;
  #rest: Buffer = Buffer.alloc(0);
  #done: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined;
  #code = 0;
  /** Bytes of the body or chunk still to come; -1 while a head or the size of a chunk is awaited. */
  #awaited = -1;
  #isChunked = false;
  #inHead = true;
  #size = 0;
  #start = '';
  /** Called with the number of newlines in each piece of a body, the events of a watch, and the newest revision among the lines that ended. */
  onLines: ((count: number, revision: string | undefined) => void) | undefined;

  private constructor(socket: TLSSocket, authority: string) {
    this.#socket = socket;
    this.#authority = authority;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', error => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('connection closed')));
  }

  static open({ server, ca, certificate, key }: Credentials): Promise<Connection> {
    const { hostname, port, host } = new URL(server);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca, cert: certificate, key, ALPNProtocols: ['http/1.1'] });
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket, host));
      });
    });
  }

  send(method: string, path: string, body = '', contentType = 'application/json'): Promise<Reply> {
    const entity = body === '' ? '' : `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${this.#authority}\r\nUser-Agent: bench\r\nAccept: application/json\r\n${entity}\r\n`;
    return new Promise((resolve, reject) => {
      this.#done = { resolve, reject };
      this.#socket.write(head + body);
    });
  }

  close(): void {
    this.#done = undefined;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#done?.reject(error);
    this.#done = undefined;
  }

  #receive(chunk: Buffer): void {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      if (this.#inHead) {
        const end = data.indexOf(headEnd);
        if (end < 0) break;
        this.#readHead(data.toString('latin1', 0, end));
        data = data.subarray(end + headEnd.length);
        continue;
      }
      if (this.#isChunked && this.#awaited < 0) {
        const end = data.indexOf(lineEnd);
        if (end < 0) break;
        const size = Number.parseInt(data.toString('latin1', 0, end), 16);
        // The CRLF after the last chunk stands where the trailers would.
        if (size === 0 && data.length < end + 4) break;
        data = data.subarray(size === 0 ? end + 4 : end + 2);
        if (size === 0) {
          this.#finish();
          break;
        }
        this.#awaited = size;
      }
      if (this.#awaited > 0) {
        const piece = data.length > this.#awaited ? data.subarray(0, this.#awaited) : data;
        this.#readBody(piece);
        data = data.subarray(piece.length);
      }
      if (this.#awaited > 0) break;
      if (!this.#isChunked) {
        this.#finish();
        break;
      }
      if (data.length < 2) break;
      data = data.subarray(2);
      this.#awaited = -1;
    }
    this.#rest = data;
  }

  #readHead(head: string): void {
    this.#code = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *([0-9]+)/i.exec(head);
    this.#isChunked = !length && /\r\ntransfer-encoding: *chunked/i.test(head);
    this.#awaited = length ? Number(length[1]) : this.#isChunked ? -1 : 0;
    this.#inHead = false;
    this.#size = 0;
    this.#start = '';
  }

  #readBody(piece: Buffer): void {
    if (this.#size === 0) this.#start = piece.toString('latin1', 0, 2048);
    this.#size += piece.length;
    this.#awaited -= piece.length;
    if (!this.onLines) return;
    let count = 0;
    let last = 0;
    for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, at + 1)) {
      count++;
      last = at;
    }
    if (count > 0) this.onLines(count, newestRevision(piece.subarray(0, last)));
  }

  #finish(): void {
    this.#inHead = true;
    const done = this.#done;
    this.#done = undefined;
    done?.resolve({ code: this.#code, size: this.#size, start: this.#start });
  }
}

function newestRevision(lines: Buffer): string | undefined {
  const at = lines.lastIndexOf(revisionKey);
  return at < 0 ? undefined : /^[0-9]+/.exec(lines.toString('latin1', at + revisionKey.length, at + revisionKey.length + 20))?.[0];
}
