import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { addressRules } from './address-rules.ts';
import { exchange, type Exchanged, type SourceTls } from './exchange.ts';
import { SourceError } from './source-error.ts';
import { withoutCredentials } from './without-credentials.ts';
import { deadlineIn } from '../util/timer-limits.ts';

export interface EgressOptions {
  /** Subnets that may be connected to though they are not public, by plain HTTP as well. */
  readonly allow?: readonly string[];
  /** All addresses of a name. The system's resolver when absent. */
  lookup?(host: string): Promise<readonly string[]>;
}

export interface EgressRequest {
  /** `https:`, or `http:` where the operator allows the address. */
  readonly url: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Of what is not only read. It is for this address alone: redirects are answered, not followed. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that may hold secrets: they go nowhere but to the origin of `url`. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  /** The Authorization header. It and the certificate of `tls` are for the origin of `url` and go to no other. */
  readonly authorization?: string | undefined;
  readonly tls?: SourceTls | undefined;
  /** A longer answer is an error. */
  readonly maxBytes: number;
  /** For the whole of it, redirects included. Default 60 s. */
  readonly timeoutMs?: number;
  /** Whether the answer may come gzipped. It is unpacked within the same bound. */
  readonly mayBeZipped?: boolean;
  readonly signal: AbortSignal;
}

export interface EgressAnswer extends Exchanged {
  /** Where the answer came from in the end. */
  readonly url: string;
}

/** An address that a name has and that may be connected to. */
export interface Located {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

/** The only way out: everything that is fetched for users goes through here, by the rules of the hub's operator. */
export interface Egress {
  /** Answers of any status. Throws SourceError when there is none, or when a rule forbids to ask. Redirects are followed. */
  fetch(req: EgressRequest): Promise<EgressAnswer>;
  /** Where the host of a URL is, for programs that connect themselves. They must connect to these addresses and to no others. */
  locate(url: URL, signal: AbortSignal): Promise<Located>;
}

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
const defaultPorts: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80, 'ssh:': 22, 'smtps:': 465, 'smtp:': 587 };

export function createEgress({ allow = [], lookup = lookupAll }: EgressOptions = {}): Egress {
  const rules = addressRules(allow);
  return { fetch, locate };

  async function fetch(req: EgressRequest): Promise<EgressAnswer> {
    const { timeoutMs = 60_000 } = req;
    const late = deadlineIn(timeoutMs);
    const signal = AbortSignal.any([req.signal, late]);
    try {
      return await follow(req, signal);
    } catch (error) {
      if (req.signal.aborted) throw req.signal.reason;
      if (late.aborted) throw new SourceError(`${shown(req.url)} did not answer within ${timeoutMs / 1000} s`);
      throw error;
    }
  }

  async function follow(req: EgressRequest, signal: AbortSignal): Promise<EgressAnswer> {
    const first = parseUrl(req.url);
    let url = first;
    for (let left = maxRedirects; ; left--) {
      const answer = await ask(req, url, url.origin === first.origin, signal);
      const { location } = answer.headers;
      if (!redirects.has(answer.status) || location === undefined || !isReading(req)) return { ...answer, url: url.href };
      if (left === 0) throw new SourceError(`${shown(req.url)} redirects more than ${maxRedirects} times`, { isFinal: true });
      url = redirectTarget(url, location);
    }
  }

  async function ask(req: EgressRequest, url: URL, isOrigin: boolean, signal: AbortSignal): Promise<Exchanged> {
    const { addresses } = await locate(url, signal);
    const { ca, certificate, key, insecureSkipVerify } = req.tls ?? {};
    return exchange({
      url,
      addresses,
      isAllowed: address => rules.judge(address).isAllowed,
      method: req.method ?? 'GET',
      headers: {
        ...req.headers,
        ...(isOrigin && req.ownHeaders),
        ...(isOrigin && req.authorization !== undefined && { authorization: req.authorization }),
      },
      ...(req.body !== undefined && { body: req.body }),
      tls: { ca, insecureSkipVerify, ...(isOrigin && { certificate, key }) },
      maxBytes: req.maxBytes,
      mayBeZipped: req.mayBeZipped ?? false,
      signal,
    });
  }

  async function locate(url: URL, signal: AbortSignal): Promise<Located> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port) || (defaultPorts[url.protocol] ?? 0);
    const found = isIP(host) > 0 ? [host] : await lookUp(host, signal);
    const judged = found.map(address => ({ address, judgement: rules.judge(address) }));
    const fit = judged.filter(({ judgement }) => judgement.isAllowed && (url.protocol !== 'http:' || judgement.isAllowedByOperator));
    if (fit.length > 0) return { host, port, addresses: fit.map(({ address }) => address) };
    const { address, judgement } = judged[0]!;
    const what = judgement.isAllowed ? 'reached by plain http, which needs the permission of the operator' : judgement.what;
    const named = address === host ? '' : ` (${host})`;
    throw new SourceError(
      `refused to ask ${shown(url.href)}: ${address}${named} is ${what}; the operator of the hub can allow it with --allow-egress`,
      { isFinal: true },
    );
  }

  async function lookUp(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      const found = await Promise.race([lookup(host), left.promise]);
      if (found.length > 0) return found;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if ((error as NodeJS.ErrnoException).code === 'EAI_AGAIN')
        throw new SourceError(`the name "${host}" could not be looked up just now`);
      if ((error as NodeJS.ErrnoException).code !== 'ENOTFOUND')
        throw new SourceError(`the name "${host}" could not be looked up`, { cause: error });
    } finally {
      signal.removeEventListener('abort', leave);
    }
    throw new SourceError(`there is no host "${host}"`);
  }
}

const isReading = ({ method = 'GET' }: EgressRequest): boolean => method === 'GET' || method === 'HEAD';

async function lookupAll(host: string): Promise<string[]> {
  return (await systemLookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '')
    throw new SourceError(`${shown(text)} is no address of the form https://…`, { isFinal: true });
  return url;
}

function redirectTarget(from: URL, location: string): URL {
  const target = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  const isWeb = target?.protocol === 'https:' || target?.protocol === 'http:';
  if (!target || !isWeb)
    throw new SourceError(`${shown(from.href)} redirects to ${shown(location)}, which is not https`, { isFinal: true });
  // What a server puts into an address it makes up is not ours to send.
  target.username = '';
  target.password = '';
  return target;
}

const shown = (url: string): string => JSON.stringify(withoutCredentials(url));
