import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ending } from './source-server.ts';

export interface Account {
  name: string;
  email: string;
  groups: string[];
}

export interface OidcProviderRig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By subject. Who is taken out is not known any more. */
  readonly accounts: Map<string, Account>;
  /** Everything that was asked, in order. */
  readonly asked: string[];
  /** Does what a person does in a browser who is sent to this address. Answers the address they are sent back to. */
  signIn(authorizationUrl: string, account: string): Promise<URL>;
}

interface ProviderModule {
  default: new (issuer: string, configuration: object) => { callback(): RequestListener };
}

/** A real OIDC provider, oidc-provider from npm, on a plain connection of this machine. */
export async function startOidcProvider(t: Ending, { redirectUri }: { redirectUri: string }): Promise<OidcProviderRig> {
  // It has no types.
  const name: string = 'oidc-provider';
  const { default: Provider } = (await import(name)) as ProviderModule;
  const accounts = new Map<string, Account>();
  const asked: string[] = [];
  let answer: RequestListener = (_req, res) => void res.destroy();
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${(req.url ?? '').split('?', 1)[0]}`);
    answer(req, res);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['drover', randomBytes(16).toString('hex')];
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    findAccount: (_ctx: unknown, sub: string) => {
      const account = accounts.get(sub);
      return account && { accountId: sub, claims: () => ({ sub, ...account }) };
    },
    claims: { openid: ['sub'], profile: ['name'], email: ['email'], groups: ['groups'] },
    issueRefreshToken: () => true,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    jwks: { keys: [{ ...key, kid: 'one', use: 'sig', alg: 'RS256' }] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 600, RefreshToken: 600 },
  });
  answer = provider.callback();
  return { issuer, clientId, clientSecret, accounts, asked, signIn: (url, account) => browse(url, { account, redirectUri }) };
}

/** Follows redirects and fills in forms, with cookies, until the way leads back. */
async function browse(start: string, { account, redirectUri }: { account: string; redirectUri: string }): Promise<URL> {
  const jar = new Map<string, string>();
  let url = new URL(start);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const res = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      signal: AbortSignal.timeout(10_000),
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of res.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = res.headers.get('location');
    const page = await res.text();
    form = undefined;
    if (location !== null) {
      url = new URL(location, url);
      if (url.href.startsWith(redirectUri)) return url;
      continue;
    }
    const [, action] = /<form[^>]*action="([^"]+)"/.exec(page) ?? [];
    const [, prompt] = /name="prompt" value="([^"]+)"/.exec(page) ?? [];
    if (action === undefined || prompt === undefined) throw new Error(`the provider shows ${res.status} ${page.slice(0, 500)}`);
    url = new URL(action, url);
    form = new URLSearchParams({ prompt, login: account, password: 'anything' });
  }
  throw new Error('the way does not lead back');
}
