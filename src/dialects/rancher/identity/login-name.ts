import type { UserAttribute } from '../kinds/user.ts';
import { usersByName, type IdentityObjects } from './identity-objects.ts';

/** The name by which a user signs in, with a password or with a provider. */
export function loginNameOf({ users, attributes }: Pick<IdentityObjects, 'users' | 'attributes'>, userId: string): string | undefined {
  const { username } = users.get(userId) ?? {};
  if (username) return username;
  return toldNames(attributes.get(userId)).find(name => name !== '');
}

/** The users who sign in with this name: one, unless providers call several so. */
export function userIdsOf({ users, attributes }: Pick<IdentityObjects, 'users' | 'attributes'>, loginName: string): string[] {
  const local = users.by(usersByName, loginName);
  const external = attributes.list().filter(one => toldNames(one).includes(loginName));
  return [...local, ...external].map(({ metadata }) => metadata.name!);
}

function toldNames(attribute: UserAttribute | undefined): string[] {
  return Object.values(attribute?.extraByProvider ?? {}).flatMap(facts => facts['username'] ?? []);
}
