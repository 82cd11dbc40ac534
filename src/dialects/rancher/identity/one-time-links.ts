import { createHash } from 'node:crypto';
import { StatusError, unauthorized } from '../../../api/status.ts';
import { newToken } from '../../../core/registration/registration-token.ts';
import type { User } from '../kinds/user.ts';
import { invalidBody } from '../v3/norman-error.ts';
import type { IdentityObjects } from './identity-objects.ts';
import { identityLabels, localProvider } from './identity-names.ts';
import type { SignInProvider } from './sign-in-provider.ts';

/** Codes that sign in the first administrator once, for the link that a hub prints when it starts. */
export interface OneTimeLinks {
  readonly provider: SignInProvider;
  /** What the provider takes for it, once and not for long. Waits until there is an administrator. */
  issue(): Promise<string>;
}

const lifetimeMs = 15 * 60_000;
const mostCodes = 20;
const patienceMs = 10_000;

export function oneTimeLinks({ users }: Pick<IdentityObjects, 'users'>, now: () => number = Date.now): OneTimeLinks {
  /** When codes end, by their hashes, the oldest first. */
  const codes = new Map<string, number>();

  return {
    provider: {
      name: 'link',
      type: 'linkProvider',
      isUnlisted: true,
      isEnabled: () => true,
      async signIn({ code }) {
        if (typeof code !== 'string') throw invalidBody('code must be a text');
        const key = hash(code);
        const endsAt = codes.get(key);
        codes.delete(key);
        const user = admin();
        if (endsAt === undefined || endsAt <= now() || !user) throw unauthorized();
        return { user, authProvider: localProvider };
      },
    },
    async issue() {
      await untilThereIsAdmin();
      const code = newToken();
      codes.set(hash(code), now() + lifetimeMs);
      for (const key of [...codes.keys()].slice(0, -mostCodes)) codes.delete(key);
      return code;
    },
  };

  function admin(): User | undefined {
    return users
      .list()
      .find(({ metadata, enabled }) => metadata.labels?.[identityLabels.bootstrapping] === 'admin-user' && enabled !== false);
  }

  async function untilThereIsAdmin(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new StatusError(503, 'ServiceUnavailable', 'the hub has no first administrator')), patienceMs);
    using _listening = users.subscribe(() => admin() && resolve());
    if (admin()) resolve();
    await promise.finally(() => clearTimeout(timer));
  }
}

const hash = (code: string) => createHash('sha256').update(code).digest('base64');
