import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { explainNetworkError } from '../client/network-error.ts';
import { secureContextFor } from './secure-contexts.ts';
import { SourceError } from './source-error.ts';
import { withoutCredentials } from './without-credentials.ts';

/** How a source is recognised, and how we prove who we are. All PEM. */
export interface SourceTls {
  /** Trusted besides the authorities of the system. */
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
}

export interface Exchange {
  readonly url: URL;
  /** Where to connect: the name is not looked up again. */
  readonly addresses: readonly string[];
  /** Asked once more about the address that was connected to. */
  isAllowed(address: string): boolean;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tls: SourceTls;
  readonly maxBytes: number;
  readonly mayBeZipped: boolean;
  readonly signal: AbortSignal;
}

export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const quietMs = 30_000;
const maxHeaderBytes = 64 * 1024;

/** One request and its whole answer, to addresses that were chosen before. */
export async function exchange(asked: Exchange): Promise<Exchanged> {
  const { url, signal } = asked;
  try {
    const res = await send(asked);
    const status = res.statusCode ?? 0;
    return { status, headers: res.headers, body: await readBody(unzipped(res, asked), asked) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof SourceError) throw error;
    const cause = explainNetworkError(error, url.hostname);
    throw new SourceError(`cannot reach "${withoutCredentials(url.origin)}"`, { cause });
  }
}

function send({ url, addresses, isAllowed, method, headers, body, tls, mayBeZipped, signal }: Exchange): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const open = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const outgoing = open({
    host,
    port: url.port || (url.protocol === 'http:' ? 80 : 443),
    path: `${url.pathname}${url.search}`,
    method,
    headers: { host: url.host, 'user-agent': 'drover', 'accept-encoding': mayBeZipped ? 'gzip' : 'identity', ...headers },
    // A connection of its own: one that is kept might have been made under other rules, or as somebody else.
    agent: false,
    lookup: pinned(addresses),
    maxHeaderSize: maxHeaderBytes,
    timeout: quietMs,
    signal,
    ...(url.protocol === 'https:' && tlsOptions(host, tls)),
  });
  outgoing.once('socket', socket => {
    socket.once('connect', () => {
      const { remoteAddress = '' } = socket;
      if (!isAllowed(remoteAddress)) outgoing.destroy(new SourceError(`refused to talk to ${remoteAddress}`, { isFinal: true }));
    });
  });
  outgoing.once('timeout', () => outgoing.destroy(new Error(`nothing was heard for ${quietMs / 1000} s`)));
  outgoing.once('response', resolve);
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}

function tlsOptions(host: string, tls: SourceTls) {
  return {
    secureContext: contextOf(tls),
    rejectUnauthorized: tls.insecureSkipVerify !== true,
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
  };
}

function contextOf(tls: SourceTls): SecureContext {
  try {
    return secureContextFor(tls);
  } catch (cause) {
    // What OpenSSL says names no part of the key.
    throw new SourceError('the certificate, key or authority for the source cannot be read', { cause, isFinal: true });
  }
}

/** Answers what was looked up, and judged, before. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map(address => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, options, done) => (options.all ? done(null, found) : done(null, found[0]!.address, found[0]!.family));
}

function unzipped(res: IncomingMessage, { mayBeZipped }: Exchange): Readable {
  if (!mayBeZipped || res.headers['content-encoding'] !== 'gzip') return res;
  return pipeline(res, createGunzip(), () => {});
}

async function readBody(body: Readable, { url, maxBytes }: Exchange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      body.destroy();
      const place = withoutCredentials(url.href);
      throw new SourceError(`${JSON.stringify(place)} sends more than the ${maxBytes} bytes that are allowed`, { isFinal: true });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
