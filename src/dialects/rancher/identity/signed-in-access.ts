import type { IncomingMessage } from 'node:http';
import { StatusError, unauthorized } from '../../../api/status.ts';
import type { HubAccess } from '../../../auth/hub-access.ts';
import { anonymous, type UserInfo } from '../../../auth/user.ts';
import { note } from '../../../auth/request-notes.ts';
import { provesSameSite } from './cookies.ts';
import { shownCredential, type ShownCredential } from './shown-credential.ts';
import type { KnownToken, TokenDesk } from './token-desk.ts';

export interface SignedInOptions {
  /** Where people find the hub, besides under the name they used. */
  serverUrl?(): string;
  /** Waits until everybody is known who is to be known: a hub that has just started must not take people for strangers. */
  ready?(): Promise<void>;
}

/** Knows people by their tokens and sessions; everybody else is for the access behind it to know. */
export function signedInAccess(access: HubAccess, tokens: Pick<TokenDesk, 'verify'>, options: SignedInOptions = {}): HubAccess {
  return {
    ...access,
    async identify(req, wanted) {
      const shown = shownCredential(req);
      if (!shown) return access.identify(req, wanted);
      await options.ready?.();
      const known = tokens.verify(shown.bearer);
      // Whoever has a certificate besides a session of yesterday is known by that.
      if (!known) return somebody(await access.identify(req, wanted));
      checkUse(req, shown, known, options);
      note(req, { sender: known.user });
      return access.impersonated(known.user, req, wanted);
    },
  };
}

function somebody(user: UserInfo): UserInfo {
  if (user.name === anonymous.name) throw unauthorized();
  return user;
}

/**
 * The token that a request shows. Undefined when it shows none; throws 401 when it is of no use here, 422 and 403 when another site may have made a browser
 * send it.
 */
export function knownToken(req: IncomingMessage, tokens: Pick<TokenDesk, 'verify'>, options: SignedInOptions = {}): KnownToken | undefined {
  const shown = shownCredential(req);
  if (!shown) return undefined;
  const known = tokens.verify(shown.bearer);
  if (!known) throw unauthorized();
  checkUse(req, shown, known, options);
  return known;
}

/** Throws when a token is good, but not here or not in this way. */
function checkUse(req: IncomingMessage, { isCookie }: ShownCredential, { token }: KnownToken, options: SignedInOptions): void {
  if (!isForPath(token.clusterName, req.url ?? '')) throw unauthorized();
  if (isCookie) refuseOtherSites(req, options);
}

/** A token for one cluster is good for requests that name it, and no others. */
export function isForPath(clusterId: string | undefined, url: string): boolean {
  if (clusterId === undefined || clusterId === '') return true;
  const [path = ''] = url.split('?', 1);
  return ['/k8s/clusters/', '/k8s/proxy/', '/v3/clusters/', '/v3/cluster/'].some(
    prefix => path === prefix + clusterId || path.startsWith(`${prefix}${clusterId}/`),
  );
}

const harmless = new Set(['GET', 'HEAD', 'OPTIONS']);

function refuseOtherSites(req: IncomingMessage, options: SignedInOptions): void {
  if (req.headers.upgrade !== undefined && !isOwnOrigin(req, options))
    throw new StatusError(403, 'Forbidden', 'the Origin of the request is not the hub');
  if (!harmless.has(req.method ?? '') && !provesSameSite(req))
    throw new StatusError(422, 'InvalidCSRFToken', 'the header X-API-CSRF must repeat the cookie CSRF');
}

/** Pages of other sites can open WebSockets here, with cookies; browsers say from where. */
export function isOwnOrigin({ headers }: IncomingMessage, { serverUrl }: SignedInOptions): boolean {
  const origin = URL.parse(headers.origin ?? '');
  if (origin?.protocol !== 'https:') return false;
  const own = [`https://${headers.host ?? ''}`, serverUrl?.() ?? ''];
  return own.some(url => URL.parse(url)?.host === origin.host);
}
