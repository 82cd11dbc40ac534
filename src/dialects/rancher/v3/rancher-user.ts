import type { UserInfo } from '../../../auth/user.ts';
import type { UserDesk } from '../identity/user-desk.ts';
import type { User } from '../kinds/user.ts';
import { NormanError } from './norman-error.ts';

/** The User who asks. Those who come with credentials of the Kubernetes API itself are none, and have no tokens and passwords here. */
export function rancherUser(users: UserDesk, { name }: UserInfo): User {
  const user = users.get(name);
  if (user) return user;
  throw new NormanError(403, 'PermissionDenied', `${JSON.stringify(name)} is not a user of Rancher: sign in as one to have tokens`);
}
