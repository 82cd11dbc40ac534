import { setTimeout as sleep } from 'node:timers/promises';
import { stillStarting } from '../../../api/status.ts';
import type { UserInfo } from '../../../auth/user.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { RunningController } from '../../../runtime/controller.ts';
import { log } from '../../../runtime/log.ts';
import type { Settings } from '../clusters/settings.ts';
import { localId } from '../names.ts';
import { authTokens, type AuthTokens } from './auth-tokens.ts';
import { identityObjects, type IdentityObjects } from './identity-objects.ts';
import { lastUse } from './last-use.ts';
import { programLogins, type ProgramLogins } from './program-logins.ts';
import { runTokenPurge } from './purge-tokens.ts';
import { runAdminSeed } from './seed-admin.ts';
import { tokenDesk, type TokenDesk } from './token-desk.ts';
import { userDesk, type UserDesk } from './user-desk.ts';

export interface IdentityDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly settings: Pick<Settings, 'number'>;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

/** The people of a hub, their passwords and their tokens. */
export interface Identity {
  readonly objects: IdentityObjects;
  readonly tokens: TokenDesk;
  readonly users: UserDesk;
  readonly authTokens: AuthTokens;
  readonly programLogins: ProgramLogins;
  /** Resolves when all of them are known; throws 503 when that takes too long. */
  ready(): Promise<void>;
  /** Whom a bearer token stands for at the hub's own API: those that are for one cluster are not for it. */
  bearerUser(bearer: string): UserInfo | undefined;
  run(options: { readonly adminPassword: string | undefined }): RunningController[];
}

const longestStartMs = 10_000;

export function rancherIdentity({ hub, settings, signal, onError }: IdentityDeps): Identity {
  const objects = identityObjects(hub, { signal, onError });
  const uses = lastUse(hub, { signal, onError: err => log.debug('the last use of a token was not written', { err }) });
  const tokens = tokenDesk({ hub, objects, settings, lastUse: uses });
  const users = userDesk({ hub, objects, settings, tokens });
  const pickUps = authTokens({ hub, users: objects.users, tokens, signal, onError });
  let isReady = false;
  objects.synced.then(
    () => (isReady = true),
    () => {},
  );
  return {
    objects,
    tokens,
    users,
    authTokens: pickUps,
    programLogins: programLogins({ hub, users: objects.users, tokens }),
    async ready() {
      if (isReady) return;
      const late = sleep(longestStartMs, undefined, { ref: false }).then(() => {
        throw stillStarting('users');
      });
      await Promise.race([objects.synced, late]);
    },
    bearerUser(bearer) {
      if (!isReady) throw stillStarting('users');
      const known = tokens.verify(bearer);
      return !known || (known.token.clusterName ?? localId) !== localId ? undefined : known.user;
    },
    run: ({ adminPassword }) => [
      runTokenPurge({ hub, objects, settings, lastUse: uses, signal }),
      pickUps.run(),
      ...(adminPassword === undefined ? [] : [runAdminSeed({ hub, passwordHash: adminPassword, signal })]),
    ],
  };
}
