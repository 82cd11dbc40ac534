import { LRUCache } from 'lru-cache';
import { StatusError, unauthorized } from '../../../../api/status.ts';
import type { KubeClient } from '../../../../client/kube-client.ts';
import { log } from '../../../../runtime/log.ts';
import { ClusterRoleTemplateBinding, ProjectRoleTemplateBinding } from '../../kinds/role.ts';
import type { User } from '../../kinds/user.ts';
import type { IdentityObjects } from '../identity-objects.ts';
import { untilKnown } from '../until-known.ts';
import { mayEnter, type Bound } from './access-mode.ts';
import { ensureExternalUser, userNameOf, writeAttributes } from './external-user.ts';
import { isSameState, newLoginState, openState, sealState } from './login-state.ts';
import { RefusedByProvider, type OidcClient, type SignedIn } from './oidc-client.ts';
import { isOidcEnabled, oidcProvider, parseOidcConfig, type OidcConfig } from './oidc-config.ts';
import { keepRefreshToken } from './refresh-secret.ts';

export interface OidcSignInDeps {
  readonly hub: KubeClient;
  readonly objects: Pick<IdentityObjects, 'users' | 'attributes' | 'providers'>;
  readonly client: OidcClient;
  /** Of `stateKey`. */
  readonly key: Buffer;
  readonly now?: () => number;
}

/** What somebody brings back from the provider. */
export interface Return {
  readonly code: string;
  readonly state: string;
  /** Of RFC 9207; undefined when the provider did not say. */
  readonly issuer: string | undefined;
  /** What the browser was given before it left. */
  readonly sealed: string | undefined;
}

/** Signing in with the OIDC provider of the hub. */
export interface OidcSignIn {
  isEnabled(): boolean;
  /** Where to go, and what the browser has to bring back. Throws 404 while there is no such provider. */
  begin(backTo: string, signal: AbortSignal): Promise<{ url: string; sealed: string }>;
  /** Who came back. Throws 401 when that is nobody, 403 when they may not enter, 503 when the provider cannot be asked. */
  finish(given: Return, signal: AbortSignal): Promise<{ user: User; backTo: string }>;
}

const rememberedStates = 10_000;
const maxCodeLength = 4096;

export function oidcSignIn({ hub, objects, client, key, now = Date.now }: OidcSignInDeps): OidcSignIn {
  const used = new LRUCache<string, true>({ max: rememberedStates });
  return { isEnabled: () => isOidcEnabled(objects.providers.get(oidcProvider)), begin, finish };

  async function begin(backTo: string, signal: AbortSignal): Promise<{ url: string; sealed: string }> {
    const config = enabledConfig();
    const state = newLoginState(backTo, now());
    const url = await asking(() => client.authorizationUrl(config, state, signal));
    return { url, sealed: sealState(state, key) };
  }

  async function finish({ code, state, issuer, sealed }: Return, signal: AbortSignal): Promise<{ user: User; backTo: string }> {
    const config = enabledConfig();
    const begun = sealed === undefined ? undefined : openState(sealed, key, now());
    if (!begun || !isSameState(state, begun) || used.has(begun.state) || !isCode(code)) throw unauthorized();
    if (issuer !== undefined && issuer !== config.issuer) throw unauthorized();
    // Before anybody is asked: of two who bring the same, one is too late.
    used.set(begun.state, true);
    const signedIn = await asking(() => client.redeem(config, code, begun, signal));
    return { user: await enter(config, signedIn, signal), backTo: begun.backTo };
  }

  async function enter(config: OidcConfig, { identity, refreshToken }: SignedIn, signal: AbortSignal): Promise<User> {
    const present = objects.users.list().find(user => user.principalIds?.includes(identity.principal));
    const userName = present?.metadata.name ?? userNameOf(identity.principal);
    const bindings = config.accessMode === 'restricted' ? await memberships(signal) : [];
    if (!mayEnter(config, identity, { userName, bindings })) throw notAllowed();
    if (present?.enabled === false) throw notAllowed();
    const user = await ensureExternalUser(identity, present, { hub, signal });
    const attributes = await writeAttributes(user, identity, { hub, signal, at: new Date(now()) });
    await keepRefreshToken(user, refreshToken, { hub, signal });
    // Whoever is let in is known with all their groups from the first request on.
    await untilKnown(objects.users, userName, known => known !== undefined);
    await untilKnown(objects.attributes, userName, known => known?.metadata.resourceVersion === attributes.metadata.resourceVersion);
    return user;
  }

  async function memberships(signal: AbortSignal): Promise<Bound[]> {
    const [clusters, projects] = await Promise.all([
      hub.list(ClusterRoleTemplateBinding, { signal }),
      hub.list(ProjectRoleTemplateBinding, { signal }),
    ]);
    return [...clusters.items, ...projects.items];
  }

  function enabledConfig(): OidcConfig {
    const config = asUnusable(() => parseOidcConfig(objects.providers.get(oidcProvider)));
    if (!config) throw new StatusError(404, 'NotFound', 'nobody can sign in this way: the provider is not enabled');
    return config;
  }
}

const isCode = (text: string): boolean => text !== '' && text.length <= maxCodeLength;

const notAllowed = () => new StatusError(403, 'Forbidden', 'you are not allowed to sign in here');

function asUnusable<T>(read: () => T): T {
  try {
    return read();
  } catch (err) {
    log.warn('the OIDC provider cannot be used', { err });
    throw unavailable();
  }
}

/** What providers answer is for the log of the hub, not for people who are not known yet. */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (err) {
    if (err instanceof RefusedByProvider) throw unauthorized();
    log.warn('nobody could be signed in by the OIDC provider', { err });
    throw unavailable();
  }
}

const unavailable = () => new StatusError(503, 'ServiceUnavailable', 'the provider cannot be asked just now; the log of the hub says why');
