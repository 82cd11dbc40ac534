import { Secret } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { informer, type Informer } from '../../../runtime/informer.ts';
import { AuthConfig, Token, User, UserAttribute } from '../kinds/user.ts';
import { withoutManagedFields } from '../rancher-objects.ts';
import { passwordNamespace } from './identity-names.ts';
import { keepPasswordId } from './password-secret.ts';

/** Everything that decides who somebody is, in memory: credentials are checked with every request. */
export interface IdentityObjects {
  readonly users: Informer<User>;
  readonly attributes: Informer<UserAttribute>;
  readonly tokens: Informer<Token>;
  readonly providers: Informer<AuthConfig>;
  /** Only what tells one password from another. */
  readonly passwords: Informer<Secret>;
  /** Before that, everybody seems to be a stranger. */
  readonly synced: Promise<unknown>;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

export const tokensByUser = 'user';
export const usersByName = 'username';

/** The key of the Secret of a user's password. */
export const passwordKey = (userId: string): string => `${passwordNamespace}/${userId}`;

export function identityObjects(hub: KubeClient, { signal, onError }: WatchOptions): IdentityObjects {
  const users = informer(hub, User, {
    signal,
    keep: withoutManagedFields,
    indexes: { [usersByName]: ({ username }) => (username ? [username] : []) },
    onError: onError('User'),
  });
  const attributes = informer(hub, UserAttribute, { signal, keep: withoutManagedFields, onError: onError('UserAttribute') });
  const tokens = informer(hub, Token, {
    signal,
    keep: withoutManagedFields,
    indexes: { [tokensByUser]: ({ userId }) => [userId] },
    onError: onError('Token'),
  });
  const providers = informer(hub, AuthConfig, { signal, keep: withoutManagedFields, onError: onError('AuthConfig') });
  const passwords = informer(hub, Secret, {
    signal,
    namespace: passwordNamespace,
    keep: keepPasswordId,
    onError: onError('Secret'),
  });
  const synced = Promise.all([users, attributes, tokens, providers, passwords].map(one => one.synced));
  synced.catch(() => {});
  return { users, attributes, tokens, providers, passwords, synced };
}
