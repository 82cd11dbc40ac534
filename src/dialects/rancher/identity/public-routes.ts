import type { IncomingMessage } from 'node:http';
import { auditAnnotations } from '../../../api/audit-annotations.ts';
import { StatusError } from '../../../api/status.ts';
import { note } from '../../../auth/request-notes.ts';
import type { DialectRoutes } from '../../../gateway/dialect-routes.ts';
import { failureLimit } from '../../../gateway/failure-limit.ts';
import { pagePath } from '../../../gateway/page/page-route.ts';
import type { JsonObject } from '../../../util/json.ts';
import { sendAnswer } from '../v3/answer-norman.ts';
import { invalidAction, methodNotSupported, mustAuthenticate, NormanError, noSuchType } from '../v3/norman-error.ts';
import type { NormanAnswer } from '../v3/norman-type.ts';
import { readBody } from '../v3/read-body.ts';
import type { AuthTokens } from './auth-tokens.ts';
import { hasCsrfCookie, newCsrfCookie, noSessionCookie, sessionCookieFor } from './cookies.ts';
import { programLoginRoutes, programLoginsType } from './program-login-routes.ts';
import type { ProgramLogins } from './program-logins.ts';
import type { SignInProvider } from './sign-in-provider.ts';
import { isOwnOrigin, knownToken, type SignedInOptions } from './signed-in-access.ts';
import type { TokenDesk } from './token-desk.ts';
import { parseTokenWish } from './token-wish.ts';

export interface PublicRoutesDeps extends SignedInOptions {
  readonly tokens: TokenDesk;
  readonly providers: readonly SignInProvider[];
  readonly authTokens: Pick<AuthTokens, 'grant' | 'show' | 'remove'>;
  readonly programLogins: ProgramLogins;
  /** The address that links begin with. */
  base(req: IncomingMessage): string;
  /** The longest body that is read. */
  bodyLimit(): number;
  /** For tests. Default: the wall clock. */
  readonly now?: () => number;
}

export interface PublicRoutes extends DialectRoutes {
  /** Ends the session of a request. Also `POST /v3/tokens?action=logout`. */
  logout(req: IncomingMessage): Promise<NormanAnswer>;
}

/** Where the `rancher` program sends people to allow it something. */
const programPath = '/dashboard/auth/login';
const allowPath = `${pagePath}allow`;
/** What its newest version calls a provider whose people sign in in the browser: it knows that way by the names of providers of SAML alone. */
const browserProvider = { id: 'keycloak', type: 'keyCloakProvider' };

/** What people use before they have signed in: `/v3-public`, `/v1-public`, and `/v1/logout`. Errors are Rancher's. */
export function publicRoutes(deps: PublicRoutesDeps): PublicRoutes {
  const { tokens, providers } = deps;
  const limit = failureLimit(deps.now);
  const programLogin = programLoginRoutes({
    logins: deps.programLogins,
    signedIn: req => knownToken(req, tokens, deps),
    base: deps.base,
    body: req => readBody(req, deps.bodyLimit()),
    ...(deps.now && { now: deps.now }),
  });

  return {
    roots: ['v1-public', 'v3-public', 'v1', 'dashboard'],
    handles: path => /^\/v[13]-public(?:\/|$)/.test(path) || path === '/v1/logout' || path === programPath,
    handle: async (req, res) => sendAnswer(req, res, await answer(req)),
    logout,
  };

  async function answer(req: IncomingMessage): Promise<NormanAnswer> {
    await deps.ready?.();
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://hub');
    const [root = '', type = '', name, ...more] = pathname.toLowerCase().split('/').slice(1);
    if (root === 'v1') return posted(req, () => logout(req));
    if (root === 'dashboard') return toPage(req, searchParams);
    if (type === 'authproviders' && name === undefined) return list(req);
    if (type === 'authtokens' && more.length === 0) return pickUp(req, name);
    if (root === 'v1-public' && type === programLoginsType && more.length === 0)
      return programLogin(req, name, searchParams.get('action') ?? '');
    if (root === 'v1-public' && type === 'login' && name === undefined) return posted(req, () => loginByType(req));
    const provider = providers.find(one => `${one.type.toLowerCase()}s` === type && one.name === name);
    if (root !== 'v3-public' || !provider?.isEnabled() || more.length > 0) throw noSuchType(`${type}/${name ?? ''}`);
    if (req.method === 'GET') return { status: 200, body: show(provider, req) };
    return posted(req, async () => {
      const action = searchParams.get('action') ?? '';
      if (action !== 'login') throw invalidAction(action);
      return login(provider, req, await readBody(req, deps.bodyLimit()));
    });
  }

  async function loginByType(req: IncomingMessage): Promise<NormanAnswer> {
    const body = await readBody(req, deps.bodyLimit());
    const provider = providers.find(one => one.type === (body['type'] ?? 'localProvider') && one.isEnabled());
    if (!provider) throw new NormanError(422, 'InvalidBodyContent', 'there is no such provider', 'type');
    return login(provider, req, body);
  }

  async function login(provider: SignInProvider, req: IncomingMessage, body: JsonObject): Promise<NormanAnswer> {
    const wish = parseTokenWish(body);
    // Another site must not be able to sign people in here as somebody else.
    if (wish.isCookie && req.headers.origin !== undefined && !isOwnOrigin(req, deps))
      throw new NormanError(403, 'PermissionDenied', 'the Origin of the request is not the hub');
    const person = await signIn(provider, req, body);
    note(req, { user: { name: person.user.metadata.name!, groups: [] } });
    const { token, bearer } = await tokens.issue({ authProvider: provider.name, ...wish, ...person });
    if (wish.isCookie) return { status: 200, headers: { 'Set-Cookie': [sessionCookieFor(bearer), newCsrfCookie()] } };
    const { name = '' } = token.metadata;
    return {
      status: 201,
      body: {
        id: name,
        type: 'token',
        baseType: 'token',
        name,
        token: bearer,
        userId: token.userId,
        ttl: token.ttl ?? 0,
        expiresAt: token.expiresAt ?? '',
      },
    };
  }

  async function signIn(provider: SignInProvider, req: IncomingMessage, body: JsonObject) {
    const attempt = () => limit.guard(req, () => provider.signIn(body, req));
    const claimed = provider.claimed?.(body);
    if (claimed !== undefined && provider.isKnown?.(claimed)) note(req, { annotations: { [auditAnnotations.loginName]: claimed } });
    try {
      return await (claimed === undefined ? attempt() : limit.guardName(`${provider.name} ${claimed.slice(0, 128)}`, attempt));
    } catch (error) {
      if (error instanceof StatusError && error.code === 401) throw new NormanError(401, 'Unauthorized', 'authentication failed');
      throw error;
    }
  }

  async function logout(req: IncomingMessage): Promise<NormanAnswer> {
    const known = knownToken(req, tokens, deps);
    if (!known) throw mustAuthenticate();
    await tokens.revoke(known.token.metadata.name!);
    return { status: 200, headers: { 'Set-Cookie': noSessionCookie } };
  }

  /** What a program in a terminal was allowed: given by somebody who is signed in, taken by whoever knows the id of the request and can decrypt it. */
  async function pickUp(req: IncomingMessage, requestId: string | undefined): Promise<NormanAnswer> {
    const { method = '' } = req;
    if (requestId === undefined)
      return posted(req, async () => {
        const known = knownToken(req, tokens, deps);
        if (!known) throw mustAuthenticate();
        note(req, { user: known.user });
        return { status: 201, body: await deps.authTokens.grant(known, await readBody(req, deps.bodyLimit())) };
      });
    if (method === 'GET') return { status: 200, body: deps.authTokens.show(requestId) };
    if (method !== 'DELETE') throw methodNotSupported(method);
    await deps.authTokens.remove(requestId);
    return { status: 204 };
  }

  /** The page asks whoever comes, once they have signed in, whether they want it. */
  function toPage(req: IncomingMessage, query: URLSearchParams): NormanAnswer {
    if (req.method !== 'GET') throw methodNotSupported(req.method ?? '');
    const asked = ['requestId', 'publicKey', 'responseType'].flatMap(name => (query.has(name) ? [[name, query.get(name)!]] : []));
    return { status: 302, headers: { Location: `${allowPath}?${new URLSearchParams(asked).toString()}` } };
  }

  function list(req: IncomingMessage): NormanAnswer {
    if (req.method !== 'GET') throw methodNotSupported(req.method ?? '');
    const listed = providers.filter(one => one.isEnabled() && !one.isUnlisted);
    const inBrowser = listed.some(one => one.isInBrowser) ? [{ ...browserProvider, baseType: 'authProvider', links: {}, actions: {} }] : [];
    const data = [...listed.map(one => show(one, req)), ...inBrowser];
    const body = { type: 'collection', resourceType: 'authProvider', links: { self: `${deps.base(req)}/v3-public/authProviders` }, data };
    return { status: 200, body, ...(!hasCsrfCookie(req) && { headers: { 'Set-Cookie': newCsrfCookie() } }) };
  }

  function show({ name, type, view }: SignInProvider, req: IncomingMessage): JsonObject {
    const base = deps.base(req);
    const self = `${base}/v3-public/${type}s/${name}`;
    return { ...view?.(base), id: name, type, baseType: 'authProvider', links: { self }, actions: { login: `${self}?action=login` } };
  }
}

function posted(req: IncomingMessage, work: () => Promise<NormanAnswer>): Promise<NormanAnswer> {
  if (req.method !== 'POST') throw methodNotSupported(req.method ?? '');
  return work();
}
