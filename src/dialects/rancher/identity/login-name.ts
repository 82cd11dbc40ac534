import type { IdentityObjects } from './identity-objects.ts';

/** The name by which a user signs in, with a password or with a provider. */
export function loginNameOf({ users, attributes }: Pick<IdentityObjects, 'users' | 'attributes'>, userId: string): string | undefined {
  const { username } = users.get(userId) ?? {};
  if (username) return username;
  const told = Object.values(attributes.get(userId)?.extraByProvider ?? {}).flatMap(facts => facts['username'] ?? []);
  return told.find(name => name !== '');
}
