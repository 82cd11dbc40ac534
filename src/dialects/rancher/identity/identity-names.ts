import type { UserInfo } from '../../../auth/user.ts';

/** Where hashes of passwords are, in Secrets that are named like their Users. */
export const passwordNamespace = 'cattle-local-user-passwords';

export const localProvider = 'local';

export const identityLabels = {
  /** On a Token: the User. */
  tokenUser: 'authn.management.cattle.io/token-userId',
  /** On a Token: what it is for. */
  tokenKind: 'authn.management.cattle.io/kind',
  /** On the first administrator: "admin-user". */
  bootstrapping: 'authz.management.cattle.io/bootstrapping',
} as const;

export const identityAnnotations = {
  /** On a Token whose key is kept as a hash: "true". */
  tokenHashed: 'authn.management.cattle.io/token-hashed',
  /** On a session: the password by which it began. It ends with it. */
  sessionPassword: 'drover.io/session-password',
  /** On a Secret with a password: how Rancher hashed it. */
  passwordHash: 'cattle.io/password-hash',
} as const;

/** Groups that everybody is in who signed in. */
export const signedInGroups = ['system:authenticated', 'system:cattle:authenticated'] as const;

/** Whether somebody is one of Rancher's people, and not known to Kubernetes alone. */
export const isSignedIn = ({ groups }: Pick<UserInfo, 'groups'>): boolean => groups.includes(signedInGroups[1]);
