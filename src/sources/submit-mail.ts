import { hostname } from 'node:os';
import type { Egress } from './egress.ts';
import { SmtpConnection, type SmtpReply } from './smtp-connection.ts';
import { SourceError } from './source-error.ts';

/** Who takes mail. */
export interface MailServer {
  /** `smtps://host:465`, or `smtp://host:587`, where STARTTLS is demanded. With `?tls=none` it is not: only where the operator allows the address. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** PEM, trusted besides the authorities of the system. */
  readonly ca?: string | undefined;
}

export interface Mail {
  /** Addresses and nothing else. */
  readonly from: string;
  readonly to: string;
  /** The whole of it, lines end with CR and LF, in ASCII. */
  readonly text: string;
}

export interface SubmitOptions {
  readonly egress: Pick<Egress, 'locate'>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const mailAddress = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/** Whether a text is the address of a mailbox: in ASCII, without a name, quotes or spaces. Nothing else ever goes into a command. */
export const isMailAddress = (text: string): boolean => mailAddress.test(text) && !text.includes('..');

/** Hands one mail to a server (RFC 5321, 3207, 4954). Throws SourceError; it is final when the server will never take it. */
export async function submitMail(server: MailServer, mail: Mail, { egress, timeoutMs, signal }: SubmitOptions): Promise<void> {
  for (const address of [mail.from, mail.to]) {
    if (!isMailAddress(address)) throw new SourceError(`${JSON.stringify(address)} is no mail address`, { isFinal: true });
  }
  const late = AbortSignal.timeout(timeoutMs);
  try {
    await converse(server, mail, egress, AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new SourceError(`the mail server did not take the mail within ${timeoutMs / 1000} s`);
    throw error;
  }
}

async function converse(server: MailServer, mail: Mail, egress: SubmitOptions['egress'], signal: AbortSignal): Promise<void> {
  const { url, isTls, isPlain } = readAddress(server.url);
  // What anybody on the way can read needs the permission of the operator, as plain http does.
  const located = await egress.locate(isPlain ? new URL(`http://${url.host}`) : url, signal);
  using connection = await SmtpConnection.open({ ...located, port: Number(url.port) || located.port }, { isTls, ca: server.ca, signal });
  expect(await connection.reply(), 220, 'greets');
  let offers = await greet(connection);
  if (!isTls && !isPlain) {
    if (!offers.has('STARTTLS')) throw new SourceError('the mail server does not offer STARTTLS', { isFinal: true });
    await ask(connection, 'STARTTLS', 220);
    await connection.secure(server.ca);
    offers = await greet(connection);
  }
  if (server.username !== undefined) await signIn(connection, server, offers, isPlain);
  await ask(connection, `MAIL FROM:<${mail.from}>`, 250);
  await ask(connection, `RCPT TO:<${mail.to}>`, 250, 251);
  await ask(connection, 'DATA', 354);
  connection.send(`${dotted(mail.text)}.\r\n`);
  expect(await connection.reply(), 250, 'takes the mail');
  connection.send('QUIT\r\n');
}

function readAddress(text: string): { url: URL; isTls: boolean; isPlain: boolean } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '' || url.username !== '')
    throw new SourceError('the address of the mail server must be of the form smtp://host:port or smtps://host:port', { isFinal: true });
  const isTls = url.protocol === 'smtps:';
  return { url, isTls, isPlain: !isTls && url.searchParams.get('tls') === 'none' };
}

/** What the server can do, in capitals. */
async function greet(connection: SmtpConnection): Promise<ReadonlyMap<string, string>> {
  const name = hostname().replaceAll(/[^A-Za-z0-9.-]/g, '-') || 'localhost';
  const { lines } = await ask(connection, `EHLO ${name}`, 250);
  return new Map(lines.slice(1).map(line => [line.split(' ', 1)[0]!.toUpperCase(), line.toUpperCase()]));
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function signIn(
  connection: SmtpConnection,
  { username = '', password = '' }: MailServer,
  offers: ReadonlyMap<string, string>,
  isPlain: boolean,
): Promise<void> {
  if (isPlain) throw new SourceError('a password is not sent to a mail server without TLS', { isFinal: true });
  const ways = (offers.get('AUTH') ?? '').split(/[ =]/);
  if (ways.includes('PLAIN')) {
    await ask(connection, `AUTH PLAIN ${base64(`\0${username}\0${password}`)}`, 235);
    return;
  }
  if (!ways.includes('LOGIN')) throw new SourceError('the mail server offers neither AUTH PLAIN nor AUTH LOGIN', { isFinal: true });
  await ask(connection, 'AUTH LOGIN', 334);
  await ask(connection, base64(username), 334);
  await ask(connection, base64(password), 235);
}

async function ask(connection: SmtpConnection, command: string, ...codes: readonly number[]): Promise<SmtpReply> {
  connection.send(`${command}\r\n`);
  const reply = await connection.reply();
  // Of what signs in only the verb may be told.
  const [verb = ''] = /^(?:AUTH|EHLO|MAIL|RCPT|DATA|STARTTLS)/.exec(command) ?? ['AUTH'];
  if (!codes.includes(reply.code)) throw refusal(reply, verb);
  return reply;
}

function expect(reply: SmtpReply, code: number, what: string): void {
  if (reply.code !== code) throw refusal(reply, what);
}

const maxWords = 200;
/** Who signs in may do so with another password: then it is worth another attempt. */
const authFailures = [530, 534, 535, 538];

function refusal({ code, lines }: SmtpReply, what: string): SourceError {
  const words = lines
    .join(' ')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .slice(0, maxWords);
  return new SourceError(`the mail server refused (${what}): ${code} ${words}`, { isFinal: code >= 500 && !authFailures.includes(code) });
}

/** A line that begins with a dot would end the mail. */
const dotted = (text: string): string => `${text.replaceAll(/\r?\n/g, '\r\n').replaceAll(/^\./gm, '..').replace(/\r\n$/, '')}\r\n`;
