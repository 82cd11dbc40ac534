import type { UserInfo } from '../../../auth/user.ts';

const credentialId = 'authentication.kubernetes.io/credential-id';
const prefix = 'Token=';

/** The name of the token by which somebody signed in; undefined for those who came otherwise. */
export function currentToken({ extra }: UserInfo): string | undefined {
  const id = extra?.[credentialId]?.find(one => one.startsWith(prefix));
  return id?.slice(prefix.length);
}
