import { LRUCache } from 'lru-cache';
import type { TokenKey } from '../../../../auth/jwt.ts';
import type { Egress, EgressRequest } from '../../../../sources/egress.ts';
import { isJsonObject, type JsonObject } from '../../../../util/json.ts';
import { keyIdOf, verifyIdToken, type Claims } from './id-token.ts';
import { parseJwks } from './jwks.ts';
import { challengeOf, type LoginState } from './login-state.ts';
import type { OidcConfig } from './oidc-config.ts';
import { identityOf, isComplete, type ProviderIdentity } from './provider-identity.ts';
import { parseMetadata, type ProviderMetadata } from './provider-metadata.ts';

export interface OidcClientDeps {
  readonly egress: Egress;
  /** The secret that the hub shares with the provider. */
  readSecret(name: string, signal: AbortSignal): Promise<string>;
  readonly now?: () => number;
}

export interface SignedIn {
  readonly identity: ProviderIdentity;
  /** By which the provider can be asked again. Not all give one. */
  readonly refreshToken: string | undefined;
}

/** What the hub asks an OIDC provider. Everything goes by the rules for outgoing requests. */
export interface OidcClient {
  /** Where to send a person. */
  authorizationUrl(config: OidcConfig, state: LoginState, signal: AbortSignal): Promise<string>;
  /** Who came back with this code. Throws RefusedByProvider when the provider does not know it. */
  redeem(config: OidcConfig, code: string, state: LoginState, signal: AbortSignal): Promise<SignedIn>;
  /** Who that is now. Throws RefusedByProvider when the provider does not stand by them any more. */
  refresh(config: OidcConfig, refreshToken: string, signal: AbortSignal): Promise<SignedIn>;
}

/** The provider answered, and the answer is no. */
export class RefusedByProvider extends Error {}

const rememberedMs = 10 * 60_000;
/** A token with a key nobody knows is no reason to ask more often. */
const keysAtMostEveryMs = 30_000;
const timeoutMs = 10_000;
const maxBytes = 1024 * 1024;

interface Known {
  readonly metadata: ProviderMetadata;
  keys: readonly TokenKey[];
  keysAtMs: number;
}

export function oidcClient({ egress, readSecret, now = Date.now }: OidcClientDeps): OidcClient {
  const providers = new LRUCache<string, Known>({ max: 10, ttl: rememberedMs });
  return { authorizationUrl, redeem, refresh };

  async function authorizationUrl(config: OidcConfig, { state, nonce, verifier }: LoginState, signal: AbortSignal): Promise<string> {
    const { metadata } = await known(config, signal);
    const url = new URL(metadata.authorizationEndpoint);
    const parameters = {
      response_type: 'code',
      client_id: config.clientId,
      redirect_uri: config.redirectUrl,
      scope: config.scope,
      state,
      nonce,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  function redeem(config: OidcConfig, code: string, { nonce, verifier }: LoginState, signal: AbortSignal): Promise<SignedIn> {
    const grant = { grant_type: 'authorization_code', code, redirect_uri: config.redirectUrl, code_verifier: verifier };
    return askForTokens(config, grant, { nonce, signal });
  }

  async function refresh(config: OidcConfig, refreshToken: string, signal: AbortSignal): Promise<SignedIn> {
    const answer = await askForTokens(config, { grant_type: 'refresh_token', refresh_token: refreshToken }, { nonce: undefined, signal });
    return { ...answer, refreshToken: answer.refreshToken ?? refreshToken };
  }

  async function askForTokens(
    config: OidcConfig,
    grant: Readonly<Record<string, string>>,
    { nonce, signal }: { nonce: string | undefined; signal: AbortSignal },
  ): Promise<SignedIn> {
    const provider = await known(config, signal);
    const { headers, fields } = await credentials(config, provider.metadata, signal);
    const answer = await ask(config, {
      url: provider.metadata.tokenEndpoint,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
      body: new URLSearchParams({ ...grant, ...fields }).toString(),
      signal,
    });
    const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = answer;
    if (typeof idToken !== 'string') throw new Error('the provider gave no ID token');
    const keys = await keysFor(config, provider, idToken, signal);
    const expected = { issuer: config.issuer, clientId: config.clientId, nonce, nowMs: now() };
    const claims = verifyIdToken(idToken, keys, expected);
    const told = await completed(claims, accessToken, { config, metadata: provider.metadata, signal });
    return { identity: identityOf(told, config), refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined };
  }

  /** Many providers keep names and groups out of the token. */
  async function completed(
    claims: Claims & { readonly sub: string },
    accessToken: unknown,
    { config, metadata, signal }: { config: OidcConfig; metadata: ProviderMetadata; signal: AbortSignal },
  ): Promise<Claims & { readonly sub: string }> {
    if (isComplete(claims, config) || metadata.userinfoEndpoint === undefined || typeof accessToken !== 'string') return claims;
    const headers = { accept: 'application/json' };
    const told = await ask(config, { url: metadata.userinfoEndpoint, headers, authorization: `Bearer ${accessToken}`, signal });
    if (told['sub'] !== claims.sub) throw new Error('the provider speaks of somebody else');
    return { ...claims, ...told, sub: claims.sub };
  }

  async function credentials(config: OidcConfig, metadata: ProviderMetadata, signal: AbortSignal) {
    const { clientId, clientSecretName } = config;
    if (clientSecretName === undefined) return { headers: {}, fields: { client_id: clientId } };
    const secret = await readSecret(clientSecretName, signal);
    if (!metadata.takesBasic) return { headers: {}, fields: { client_id: clientId, client_secret: secret } };
    const pair = [clientId, secret].map(formEncoded).join(':');
    return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, fields: {} };
  }

  async function known(config: OidcConfig, signal: AbortSignal): Promise<Known> {
    const key = JSON.stringify([config.issuer, config.certificate]);
    const present = providers.get(key);
    if (present) return present;
    const url = `${config.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const metadata = parseMetadata(await ask(config, { url, signal }), config.issuer);
    const provider: Known = { metadata, keys: [], keysAtMs: -Infinity };
    providers.set(key, provider);
    return provider;
  }

  async function keysFor(config: OidcConfig, provider: Known, idToken: string, signal: AbortSignal): Promise<readonly TokenKey[]> {
    const kid = keyIdOf(idToken);
    const isKnown = provider.keys.some(key => kid === '' || key.id === kid);
    if (isKnown || now() - provider.keysAtMs < keysAtMostEveryMs) return provider.keys;
    provider.keysAtMs = now();
    provider.keys = parseJwks(await ask(config, { url: provider.metadata.jwksUri, signal }));
    return provider.keys;
  }

  async function ask({ certificate }: OidcConfig, req: Omit<EgressRequest, 'maxBytes' | 'timeoutMs' | 'tls'>): Promise<JsonObject> {
    const { status, body } = await egress.fetch({
      ...req,
      maxBytes,
      timeoutMs,
      ...(certificate !== undefined && { tls: { ca: certificate } }),
    });
    const value = parsed(body.toString('utf8'));
    if (status === 200 && isJsonObject(value)) return value;
    const error = isJsonObject(value) && typeof value['error'] === 'string' ? value['error'] : undefined;
    if (status >= 400 && status < 500 && error === 'invalid_grant') throw new RefusedByProvider('the provider does not accept it');
    throw new Error(`the provider answered ${status}${error === undefined ? '' : ` ${JSON.stringify(error.slice(0, 100))}`}`);
  }
}

// RFC 6749, 2.3.1: encoded as in forms before they are joined.
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
