import type { UserInfo } from '../../../auth/user.ts';
import { localProvider } from '../identity/identity-names.ts';
import type { TokenDesk } from '../identity/token-desk.ts';
import type { UserDesk } from '../identity/user-desk.ts';
import type { User } from '../kinds/user.ts';
import { currentToken } from './current-token.ts';
import { NormanError } from './norman-error.ts';

/** The User who asks. Those who come with credentials of the Kubernetes API itself are none, and have no tokens and passwords here. */
export function rancherUser(users: UserDesk, { name }: UserInfo): User {
  const user = users.get(name);
  if (user) return user;
  throw new NormanError(403, 'PermissionDenied', `${JSON.stringify(name)} is not a user of Rancher: sign in as one to have tokens`);
}

/**
 * Who may have a new token, and how they had signed in: what is made with a token ends with the provider that vouched for it. Whoever speaks for another makes none for
 * them, and a token for one cluster makes none at all: it could make itself last for ever.
 */
export function tokenOwner(
  { tokens, users }: { tokens: TokenDesk; users: UserDesk },
  caller: UserInfo,
): { user: User; authProvider: string } {
  const user = rancherUser(users, caller);
  const current = tokens.listOf(caller.name).find(({ metadata }) => metadata.name === currentToken(caller));
  if (!current || current.clusterName)
    throw new NormanError(
      403,
      'PermissionDenied',
      'tokens are made by people who have signed in, with a token that is not for one cluster alone',
    );
  return { user, authProvider: current.authProvider ?? localProvider };
}
