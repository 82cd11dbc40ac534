import type { IncomingMessage, ServerResponse } from 'node:http';
import { methodNotAllowed, StatusError } from '../../../../api/status.ts';
import { note } from '../../../../auth/request-notes.ts';
import type { DialectRoutes } from '../../../../gateway/dialect-routes.ts';
import { failureLimit } from '../../../../gateway/failure-limit.ts';
import { NormanError } from '../../v3/norman-error.ts';
import { newCsrfCookie, readCookie, sessionCookieFor } from '../cookies.ts';
import type { SignInProvider } from '../sign-in-provider.ts';
import type { TokenDesk } from '../token-desk.ts';
import { oidcProvider, verifyPath } from './oidc-config.ts';
import type { OidcSignIn } from './oidc-sign-in.ts';

export interface OidcRoutesDeps {
  readonly signIn: OidcSignIn;
  readonly tokens: Pick<TokenDesk, 'issue'>;
}

const startPath = '/v1-public/oidc/start';
/** The prefix keeps neighbours under the same domain from setting it. */
const stateCookie = '__Host-R_OIDC';
const cookieRules = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const patienceMs = 30_000;

/** Where signing in with OIDC starts, and where the provider sends people back to. */
export function oidcRoutes({ signIn, tokens }: OidcRoutesDeps): DialectRoutes {
  const guesses = failureLimit();
  return {
    roots: ['v1-public', verifyPath.slice(1)],
    handles: path => path === startPath || path === verifyPath,
    async handle(req, res) {
      if (req.method !== 'GET') throw methodNotAllowed();
      const { pathname, searchParams } = new URL(req.url ?? '', 'https://hub');
      await (pathname === startPath ? start(res, searchParams) : verify(req, res, searchParams));
    },
  };

  async function start(res: ServerResponse, query: URLSearchParams): Promise<void> {
    const { url, sealed } = await signIn.begin(localPath(query.get('back')), AbortSignal.timeout(patienceMs));
    redirect(res, url, [`${stateCookie}=${sealed}; Max-Age=600; ${cookieRules}`]);
  }

  async function verify(req: IncomingMessage, res: ServerResponse, query: URLSearchParams): Promise<void> {
    const { user, backTo } = await guesses
      .guard(req, () => signIn.finish(returned(req, query), AbortSignal.timeout(patienceMs)))
      .catch(refuse);
    note(req, { user: { name: user.metadata.name!, groups: [] } });
    const { bearer } = await tokens.issue({ user, kind: 'session', authProvider: oidcProvider });
    redirect(res, backTo, [sessionCookieFor(bearer), newCsrfCookie(), `${stateCookie}=; Max-Age=0; ${cookieRules}`]);
  }
}

/** The same for clients of Rancher's API, who bring the code and the state in a body. */
export function oidcSignInProvider(signIn: OidcSignIn): SignInProvider {
  return {
    name: oidcProvider,
    type: 'genericOIDCProvider',
    isInBrowser: true,
    isEnabled: () => signIn.isEnabled(),
    view: base => ({ redirectUrl: `${base}${startPath}` }),
    async signIn({ code, state }, req) {
      const given = { code: textOf(code), state: textOf(state), issuer: undefined, sealed: readCookie(req, stateCookie) };
      const { user } = await signIn.finish(given, AbortSignal.timeout(patienceMs));
      return { user };
    },
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function returned(req: IncomingMessage, query: URLSearchParams) {
  const [code, state, issuer] = ['code', 'state', 'iss'].map(name => query.get(name) ?? undefined);
  return { code: code ?? '', state: state ?? '', issuer, sealed: readCookie(req, stateCookie) };
}

function refuse(error: unknown): never {
  if (error instanceof StatusError && error.code === 401) throw new NormanError(401, 'Unauthorized', 'authentication failed');
  throw error;
}

/** With the key of a program in it, a path is long; the cookie that it is sealed in holds no more. */
const longestPath = 2048;

/** A path of the hub; whatever could lead elsewhere is its beginning. */
export function localPath(text: string | null): string {
  const isLocal = text !== null && text.length <= longestPath && /^\/(?!\/)[!-~]*$/.test(text) && !text.includes('\\');
  return isLocal ? text : '/';
}

function redirect(res: ServerResponse, location: string, cookies: readonly string[]): void {
  res.writeHead(302, {
    Location: location,
    'Set-Cookie': [...cookies],
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': 0,
  });
  res.end();
}
