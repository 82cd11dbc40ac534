import type { UserInfo } from '../../../auth/user.ts';
import type { Token, User, UserAttribute } from '../kinds/user.ts';
import { signedInGroups } from './identity-names.ts';

export interface SignedIn {
  readonly user: User;
  readonly token: Token;
  readonly attributes: UserAttribute | undefined;
  isProviderEnabled(name: string): boolean;
}

const credentialId = 'authentication.kubernetes.io/credential-id';

/** Who somebody is to Kubernetes: his User, and the groups of providers that may be believed now. */
export function signedInUser({ user, token, attributes, isProviderEnabled }: SignedIn): UserInfo {
  const principals = Object.entries(attributes?.groupPrincipals ?? {})
    .filter(([provider]) => isProviderEnabled(provider))
    .flatMap(([, { items = [] }]) => items.map(({ metadata }) => metadata?.name ?? ''))
    .filter(isPrincipal);
  return {
    name: user.metadata.name!,
    groups: [...new Set([...principals, ...signedInGroups])],
    extra: { [credentialId]: [`Token=${token.metadata.name!}`] },
  };
}

/** Names of groups come from outside; those of Kubernetes' own are not for providers to give. */
const isPrincipal = (name: string) => /^[a-z][a-z0-9_]*:\/\/./.test(name);
