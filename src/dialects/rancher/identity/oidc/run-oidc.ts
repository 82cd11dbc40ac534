import { Namespace } from '../../../../api/builtin-kinds.ts';
import { withType } from '../../../../api/define-kind.ts';
import { StatusError } from '../../../../api/status.ts';
import type { KubeClient } from '../../../../client/kube-client.ts';
import {
  changesOf,
  knownFirst,
  requeue,
  runController,
  settled,
  type Context,
  type Controller,
  type RunningController,
} from '../../../../runtime/controller.ts';
import { log } from '../../../../runtime/log.ts';
import type { Settings } from '../../clusters/settings.ts';
import { rancherNamespaces } from '../../names.ts';
import { AuthConfig, Token, type User, type UserAttribute } from '../../kinds/user.ts';
import { tokensByUser, type IdentityObjects } from '../identity-objects.ts';
import { writeAttributes } from './external-user.ts';
import { RefusedByProvider, type OidcClient } from './oidc-client.ts';
import { authSecretsNamespace, oidcConfigType, oidcProvider, parseOidcConfig } from './oidc-config.ts';
import { keepRefreshToken, readRefreshToken } from './refresh-secret.ts';

export interface OidcDeps {
  readonly hub: KubeClient;
  readonly objects: IdentityObjects;
  readonly settings: Pick<Settings, 'number'>;
  readonly client: OidcClient;
  readonly signal: AbortSignal;
}

/** Keeps what the OIDC provider said about people fresh, and offers the provider to those who may only configure it. */
export function runOidc(deps: OidcDeps): RunningController[] {
  const { objects, signal } = deps;
  const { attributes, tokens, providers } = objects;
  return [
    runController(refreshing(deps), {
      signal,
      triggers: [
        changesOf(attributes, undefined, ({ lastRefresh, needsRefresh }) => [lastRefresh, needsRefresh]),
        changesOf(
          tokens,
          token => [token.userId],
          token => token.userId,
        ),
        knownFirst(objects.users, providers),
      ],
    }),
    runController(offering(deps), {
      signal,
      triggers: [changesOf(providers, () => [oidcProvider]), { synced: providers.synced, start: first }],
    }),
  ];
}

/** Asks the provider again about whoever uses what it vouched for. Whom it does not know any more loses it. */
function refreshing({ hub, objects, settings, client }: OidcDeps): Controller {
  return {
    name: 'rancher-oidc-users',
    async reconcile(key, ctx) {
      const attribute = objects.attributes.get(key);
      const user = objects.users.get(key);
      if (!attribute || !user || ofProvider(key).length === 0) return settled;
      const leftMs = attribute.needsRefresh === true ? 0 : nextLookMs(attribute, settings, ctx.now);
      if (leftMs > 0) return requeue(leftMs);
      return (await refresh(user, ctx)) ? requeue(maxAgeMs(settings)) : settled;
    },
  };

  /** False when there is nothing to ask, or nobody to ask about any more. */
  async function refresh(user: User, { now, signal }: Context): Promise<boolean> {
    const config = parseOidcConfig(objects.providers.get(oidcProvider));
    const refreshToken = config && (await readRefreshToken(user.metadata.name!, { hub, signal }));
    if (!config || refreshToken === undefined) return false;
    try {
      const { identity, refreshToken: next } = await client.refresh(config, refreshToken, signal);
      if (!user.principalIds?.includes(identity.principal)) throw new RefusedByProvider('the provider speaks of somebody else');
      await keepRefreshToken(user, next, { hub, signal });
      await writeAttributes(user, identity, { hub, signal, at: now });
      return true;
    } catch (error) {
      if (!(error instanceof RefusedByProvider)) throw error;
      await forget(user, { now, signal });
      return false;
    }
  }

  async function forget(user: User, { now, signal }: Context): Promise<void> {
    const name = user.metadata.name!;
    log.info('the provider does not know a user any more', { name });
    for (const token of ofProvider(name)) await hub.delete(Token, { name: token.metadata.name! }, { signal });
    const [principal = ''] = user.principalIds ?? [];
    await writeAttributes(user, { principal, displayName: '', loginName: '', groups: [] }, { hub, signal, at: now });
    await keepRefreshToken(user, undefined, { hub, signal });
  }

  function ofProvider(userId: string): Token[] {
    return objects.tokens.by(tokensByUser, userId).filter(token => token.authProvider === oidcProvider);
  }
}

const maxAgeMs = (settings: OidcDeps['settings']): number => Math.max(60, settings.number('auth-user-info-max-age-seconds')) * 1000;

function nextLookMs({ lastRefresh }: UserAttribute, settings: OidcDeps['settings'], now: Date): number {
  const askedMs = Date.parse(lastRefresh ?? '');
  return Number.isNaN(askedMs) ? 0 : askedMs + maxAgeMs(settings) - now.getTime();
}

/** Some may change what is there and make nothing new: an AuthConfig that does nothing yet is there for them, and the places of what it needs. */
function offering({ hub, objects }: OidcDeps): Controller {
  return {
    name: 'rancher-oidc-provider',
    async reconcile(name, { signal }) {
      for (const namespace of [authSecretsNamespace, rancherNamespaces.system]) {
        if (await hub.get(Namespace, { name: namespace }, { signal })) continue;
        await hub.apply(Namespace, { metadata: { name: namespace } }, { signal, fieldManager: 'drover-oidc' });
      }
      if (objects.providers.get(name)) return settled;
      const config = withType(AuthConfig, {
        metadata: { name },
        type: oidcConfigType,
        enabled: false,
        accessMode: 'unrestricted' as const,
      });
      await hub.create(AuthConfig, config, { signal, fieldManager: 'drover-oidc' }).catch((error: unknown) => {
        if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
      });
      return settled;
    },
  };
}

function first(add: (key: string) => void): Disposable {
  add(oidcProvider);
  return { [Symbol.dispose]: () => {} };
}
