import type { IncomingMessage } from 'node:http';
import { headerValues } from '../../../auth/header-values.ts';
import { isWebSocketRequest, tokenProtocol } from '../../../auth/web-socket-token.ts';
import { readCookie, sessionCookie } from './cookies.ts';
import { parseBearer } from './token-key.ts';

export interface ShownCredential {
  /** `name:key`, as it was shown. */
  readonly bearer: string;
  /** Browsers send cookies by themselves, also for pages of others. */
  readonly isCookie: boolean;
}

/**
 * What a request shows of a token of ours: `Bearer name:key`, Basic with name and key, the sub-protocol of a WebSocket, or the session cookie. Undefined when there is
 * none; whatever else stands in the Authorization header is for others to judge, and then the cookie does not count.
 */
export function shownCredential(req: IncomingMessage): ShownCredential | undefined {
  const headers = headerValues(req.rawHeaders);
  const authorization = headers.get('authorization') ?? [];
  if (authorization.length > 0) return authorization.length === 1 ? ours(fromHeader(authorization[0]!)) : undefined;
  const offered = isWebSocketRequest(headers) ? protocolToken(headers) : undefined;
  if (offered !== undefined) return ours(offered);
  const cookie = readCookie(req, sessionCookie);
  return cookie === undefined || cookie === '' ? undefined : { bearer: cookie, isCookie: true };
}

function ours(bearer: string | undefined): ShownCredential | undefined {
  return bearer !== undefined && parseBearer(bearer) ? { bearer, isCookie: false } : undefined;
}

function fromHeader(header: string): string | undefined {
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +(\S+)$/.exec(header.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  // Node reads both alphabets of base64.
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) ? Buffer.from(value, 'base64').toString('utf8') : undefined;
}

function protocolToken(headers: ReturnType<typeof headerValues>): string | undefined {
  try {
    return tokenProtocol(headers)?.token;
  } catch {
    return undefined;
  }
}
