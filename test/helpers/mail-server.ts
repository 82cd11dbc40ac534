import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls';
import { createAuthority, issueLeaf } from '../../src/pki/certificate-authority.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it was sent, without the stuffing of dots. */
  readonly text: string;
  readonly isSecure: boolean;
  readonly user: string | undefined;
}

export interface MailServerOptions {
  /** Default STARTTLS. */
  readonly security?: 'tls' | 'starttls' | 'none';
  /** Who may send, by name and password. Everybody when absent. */
  readonly users?: Readonly<Record<string, string>>;
  readonly ways?: 'PLAIN' | 'LOGIN' | 'CRAM-MD5';
  /** Answers a command instead of the server. */
  answer?(command: string, count: number): string | undefined;
  readonly hosts?: readonly string[];
  /** Says something right after STARTTLS, in the clear. */
  readonly injects?: string;
}

export interface TestMailServer {
  readonly port: number;
  readonly url: string;
  readonly ca: string;
  readonly mails: ReceivedMail[];
  readonly commands: string[];
}

/** A mail server that speaks as RFC 5321, 3207 and 4954 say, and keeps what it gets. */
export async function startMailServer(t: TestContext, options: MailServerOptions = {}): Promise<TestMailServer> {
  const { security = 'starttls', hosts = ['127.0.0.1'] } = options;
  const authority = createAuthority('mail-authority', new Date());
  const { certificate, key } = issueLeaf(authority, { commonName: 'mail', usage: 'server', hosts, now: new Date() });
  const secureContext = createSecureContext({ cert: certificate, key });
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    void serve(socket, security === 'tls');
  };
  const server = security === 'tls' ? createTlsServer({ cert: certificate, key }, accept) : createServer(accept);
  server.on('tlsClientError', () => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise(resolve => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const query = security === 'none' ? '?tls=none' : '';
  return { port, url: `${security === 'tls' ? 'smtps' : 'smtp'}://127.0.0.1:${port}${query}`, ca: authority.certificate, mails, commands };

  async function serve(socket: Socket, isSecure: boolean, isNew = true): Promise<void> {
    let user: string | undefined;
    let from = '';
    let to: string[] = [];
    let count = 0;
    const say = (text: string) => void socket.write(`${text}\r\n`);
    if (isNew) say('220 mail.example ESMTP');
    const lines = linesOf(socket);
    for await (const line of lines) {
      commands.push(line);
      const instead = options.answer?.(line, ++count);
      const [verb = ''] = line.toUpperCase().split(/[ :]/, 1);
      if (instead !== undefined) say(instead);
      else if (verb === 'EHLO') {
        say('250-mail.example');
        if (!isSecure && security === 'starttls') say('250-STARTTLS');
        if (options.users) say(`250-AUTH ${options.ways ?? 'PLAIN'}`);
        say('250 8BITMIME');
      } else if (verb === 'STARTTLS') {
        socket.write(`220 go on\r\n${options.injects ?? ''}`);
        lines.release();
        const secure = new TLSSocket(socket, { isServer: true, secureContext });
        secure.on('error', () => {});
        return serve(secure, true, false);
      } else if (verb === 'AUTH') {
        user = await signIn(line, say, lines);
        say(user === undefined ? '535 5.7.8 wrong name or password' : '235 2.7.0 welcome');
      } else if (verb === 'MAIL') {
        from = /<(.*)>/.exec(line)?.[1] ?? '';
        to = [];
        say(options.users && user === undefined ? '530 5.7.0 who are you' : '250 ok');
      } else if (verb === 'RCPT') {
        to.push(/<(.*)>/.exec(line)?.[1] ?? '');
        say('250 ok');
      } else if (verb === 'DATA') {
        say('354 go on');
        const text: string[] = [];
        for (let one = await lines.next(); !one.done && one.value !== '.'; one = await lines.next())
          text.push(one.value.replace(/^\./, ''));
        mails.push({ from, to, text: text.join('\r\n'), isSecure, user });
        say('250 2.0.0 taken');
      } else if (verb === 'QUIT') {
        say('221 bye');
        socket.end();
      } else say('502 5.5.2 what?');
    }
  }

  async function signIn(line: string, say: (text: string) => void, lines: Lines): Promise<string | undefined> {
    const read = (text: string) => Buffer.from(text, 'base64').toString();
    const ask = async (question: string) => {
      say(`334 ${Buffer.from(question).toString('base64')}`);
      const { value } = await lines.next();
      return read(String(value));
    };
    const [, way, given = ''] = line.split(' ');
    const [name = '', password] = way === 'LOGIN' ? [await ask('Username:'), await ask('Password:')] : read(given).split('\0').slice(1);
    return options.users?.[name] === password ? name : undefined;
  }
}

type Lines = AsyncGenerator<string> & { release(): void };

function linesOf(socket: Socket): Lines {
  let text = '';
  let isOver = false;
  let wake: (() => void) | undefined;
  const hear = (bytes: Buffer) => {
    text += bytes.toString('latin1');
    wake?.();
  };
  const end = () => {
    isOver = true;
    wake?.();
  };
  socket.on('data', hear).on('close', end).on('end', end);
  async function* read(): AsyncGenerator<string> {
    for (;;) {
      const at = text.indexOf('\r\n');
      if (at >= 0) {
        const line = text.slice(0, at);
        text = text.slice(at + 2);
        yield line;
      } else if (isOver) return;
      else await new Promise<void>(resolve => (wake = resolve));
    }
  }
  return Object.assign(read(), { release: () => void socket.off('data', hear).off('close', end).off('end', end) });
}
