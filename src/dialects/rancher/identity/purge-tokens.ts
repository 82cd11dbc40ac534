import type { KubeClient } from '../../../client/kube-client.ts';
import { changesOf, requeue, runController, settled, type Controller, type RunningController } from '../../../runtime/controller.ts';
import type { Settings } from '../clusters/settings.ts';
import { Token, User } from '../kinds/user.ts';
import { tokensByUser, type IdentityObjects } from './identity-objects.ts';
import { expiryMs, idleEndMs } from './judge-token.ts';
import type { LastUse } from './last-use.ts';

export interface PurgeDeps {
  readonly hub: KubeClient;
  readonly objects: IdentityObjects;
  readonly settings: Pick<Settings, 'number'>;
  readonly lastUse: Pick<LastUse, 'usedAtMs'>;
  readonly signal: AbortSignal;
}

const minuteMs = 60_000;
const longestWaitMs = 12 * 60 * minuteMs;

/** Removes tokens that have expired, or whose user is gone. */
export function runTokenPurge({ hub, objects, settings, lastUse, signal }: PurgeDeps): RunningController {
  const { tokens, users } = objects;
  const controller: Controller = {
    name: 'rancher-tokens',
    async reconcile(key, { now, signal }) {
      const token = tokens.get(key);
      if (!token || token.metadata.deletionTimestamp !== undefined) return settled;
      const idleTtlMs = settings.number('auth-user-session-idle-ttl-minutes') * minuteMs;
      const endMs = Math.min(expiryMs(token), idleEndMs(token, { idleTtlMs, usedAtMs: lastUse.usedAtMs(token) }));
      const leftMs = endMs - now.getTime();
      if (leftMs > 0 && (await hasUser(token.userId, signal)))
        return endMs === Infinity ? settled : requeue(Math.min(leftMs, longestWaitMs));
      const { uid } = token.metadata;
      await hub.delete(Token, { name: key }, { signal, ...(uid !== undefined && { preconditions: { uid } }) });
      return settled;
    },
  };
  const tokensOf = (user: User) => tokens.by(tokensByUser, user.metadata.name!).map(token => token.metadata.name!);
  return runController(controller, {
    signal,
    triggers: [
      changesOf(tokens, undefined, token => [token.userId, token.ttl, token.expiresAt]),
      changesOf(users, tokensOf, user => user.metadata.uid),
    ],
  });

  /** A user who is not known yet may only have been made a moment ago. */
  async function hasUser(name: string, signal: AbortSignal): Promise<boolean> {
    return users.get(name) !== undefined || (await hub.get(User, { name }, { signal })) !== undefined;
  }
}
