import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { explainNetworkError } from '../client/network-error.ts';
import type { Located } from './egress.ts';
import { secureContextFor } from './secure-contexts.ts';
import { SourceError } from './source-error.ts';

/** What a server answered: its code, and what it said line by line. */
export interface SmtpReply {
  readonly code: number;
  readonly lines: readonly string[];
}

/** More is no answer to anything that is asked here. */
const maxReplyBytes = 64 * 1024;
const replyLine = /^([2-5][0-9]{2})([ -]?)(.*)$/;

/** The lines of one connection to a mail server. It ends with the signal. */
export class SmtpConnection implements Disposable {
  readonly #located: Located;
  readonly #signal: AbortSignal;
  #socket: Socket;
  #text = '';
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  private constructor(located: Located, signal: AbortSignal, socket: Socket) {
    this.#located = located;
    this.#signal = signal;
    this.#socket = socket;
    this.#listen();
  }

  /** To the first address that answers. */
  static async open(located: Located, { isTls, ca, signal }: { isTls: boolean; ca: string | undefined; signal: AbortSignal }) {
    let last: unknown;
    for (const address of located.addresses) {
      const socket = isTls
        ? connectTls({ host: address, port: located.port, ...tlsOptions(located, ca) })
        : connectPlain({ host: address, port: located.port });
      try {
        await opened(socket, isTls ? 'secureConnect' : 'connect', signal);
        return new SmtpConnection(located, signal, socket);
      } catch (error) {
        socket.destroy();
        signal.throwIfAborted();
        last = error;
      }
    }
    throw unreachable(located, last);
  }

  /** Goes on in secret. What the server said before that and nobody has read is not from it. */
  async secure(ca: string | undefined): Promise<void> {
    if (this.#text !== '') throw new SourceError(`the mail server "${this.#located.host}" speaks before it is secure`, { isFinal: true });
    const plain = this.#socket;
    plain.removeAllListeners();
    const socket = connectTls({ socket: plain, ...tlsOptions(this.#located, ca) });
    this.#socket = socket;
    try {
      await opened(socket, 'secureConnect', this.#signal);
    } catch (error) {
      this[Symbol.dispose]();
      this.#signal.throwIfAborted();
      throw unreachable(this.#located, error);
    }
    this.#listen();
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  async reply(): Promise<SmtpReply> {
    const lines: string[] = [];
    for (let size = 0; ;) {
      const line = await this.#line();
      size += line.length + 1;
      if (size > maxReplyBytes) throw new SourceError(`the answer of "${this.#located.host}" is too long`);
      const [, code = '', more, words = ''] = replyLine.exec(line) ?? [];
      if (code === '') throw new SourceError(`"${this.#located.host}" does not answer as mail servers do`, { isFinal: true });
      lines.push(words);
      if (more !== '-') return { code: Number(code), lines };
    }
  }

  [Symbol.dispose](): void {
    this.#socket.on('error', () => {});
    this.#socket.destroy();
  }

  #listen(): void {
    const notice = (failure?: Error) => {
      this.#failure ??= failure;
      this.#wake?.();
    };
    this.#socket.on('data', (bytes: Buffer) => {
      this.#text += bytes.toString('latin1');
      if (this.#text.length > maxReplyBytes) this.#socket.destroy(new Error('the answer is too long'));
      notice();
    });
    this.#socket.on('error', notice);
    this.#socket.on('close', () => notice(new Error('the server ended the connection')));
  }

  async #line(): Promise<string> {
    for (;;) {
      this.#signal.throwIfAborted();
      const end = this.#text.indexOf('\n');
      if (end >= 0) {
        const line = this.#text.slice(0, end).replace(/\r$/, '');
        this.#text = this.#text.slice(end + 1);
        return line;
      }
      if (this.#failure) throw unreachable(this.#located, this.#failure);
      await this.#heard();
    }
  }

  #heard(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    this.#signal.addEventListener('abort', () => resolve(), { once: true });
    return promise;
  }
}

const tlsOptions = ({ host }: Located, ca: string | undefined) => ({
  secureContext: secureContextFor({ ca }),
  minVersion: 'TLSv1.2' as const,
  // The certificate must be for the name, whatever address it has.
  ...(isIP(host) > 0 ? { host } : { servername: host }),
});

async function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(signal.reason as Error);
  socket.once(event, resolve).once('error', reject);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.off('error', reject);
  }
}

const unreachable = ({ host, port }: Located, error: unknown): SourceError =>
  new SourceError(`cannot reach the mail server "${host}:${port}"`, { cause: explainNetworkError(error, host) });
