import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { headerValues } from '../../../auth/header-values.ts';

/** Holds the token of a session. */
export const sessionCookie = 'R_SESS';
/** Holds what a page of the hub's own can read and another site cannot. */
export const csrfCookie = 'CSRF';
const csrfHeader = 'x-api-csrf';

const csrfPattern = /^[0-9a-f]{32}$/;
const maxHeaderLength = 16_384;

/** The value of a cookie. Undefined when it is absent, or there more than once: then nobody knows which of them was meant. */
export function readCookie(req: IncomingMessage, name: string): string | undefined {
  const header = (headerValues(req.rawHeaders).get('cookie') ?? []).join('; ');
  if (header.length > maxHeaderLength) return undefined;
  const values = header
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1).replace(/^"(.*)"$/, '$1'));
  return values.length === 1 ? decode(values[0]!) : undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export const sessionCookieFor = (bearer: string): string => `${sessionCookie}=${bearer}; Path=/; Secure; HttpOnly; SameSite=Lax`;
export const noSessionCookie = `${sessionCookie}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`;

/** Scripts of our own pages must read it, so it is not HttpOnly. */
export const newCsrfCookie = (): string => `${csrfCookie}=${randomBytes(16).toString('hex')}; Path=/; Secure; SameSite=Lax`;

/** Whether a client has a CSRF cookie already. */
export const hasCsrfCookie = (req: IncomingMessage): boolean => csrfPattern.test(readCookie(req, csrfCookie) ?? '');

/** Whether the page that sent a request could read our cookies: it repeats the CSRF cookie in a header or in the query. */
export function provesSameSite(req: IncomingMessage): boolean {
  const expected = readCookie(req, csrfCookie) ?? '';
  const query = new URLSearchParams((req.url ?? '').split('?')[1] ?? '');
  const [shown = query.get(csrfCookie) ?? ''] = headerValues(req.rawHeaders).get(csrfHeader) ?? [];
  if (!csrfPattern.test(expected) || shown.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(shown, 'latin1'), Buffer.from(expected, 'latin1'));
}
