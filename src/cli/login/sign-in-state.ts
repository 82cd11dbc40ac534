import { CommandError, usageError } from '../exit-codes.ts';
import type { KeptLogin, KeptLogins } from './kept-logins.ts';

/** The login of somebody who has only one. */
export function theOnlyLogin(logins: KeptLogins): KeptLogin | undefined {
  const all = logins.list();
  if (all.length > 1) throw usageError('you are signed in at several hubs; which one?', all.map(({ server }) => server).join(', '));
  return all[0];
}

export const notSignedIn = (url: string | undefined) =>
  new CommandError(url === undefined ? 'you are signed in nowhere' : `you are not signed in at ${url}`, {
    hint: `sign in: drover login ${url ?? 'https://hub.example.com'}`,
  });

/** Said here, before a server says less. */
export function refuseExpired({ server, expiresAt }: KeptLogin, nowMs: number): void {
  if (expiresAt === '' || Date.parse(expiresAt) > nowMs) return;
  throw new CommandError(`your sign-in at ${server} ended at ${expiresAt}`, { hint: `sign in again: drover login ${server}` });
}
