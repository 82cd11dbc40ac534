import type { Claims } from './id-token.ts';
import { oidcProvider, type OidcConfig } from './oidc-config.ts';

/** A person as the provider knows them. */
export interface ProviderIdentity {
  /** `genericoidc_user://<subject>`. */
  readonly principal: string;
  readonly displayName: string;
  readonly loginName: string;
  /** Their groups, each `genericoidc_group://<name>`, sorted. */
  readonly groups: readonly string[];
}

const maxGroups = 1000;
const maxNameLength = 253;

export const userPrincipal = (subject: string): string => `${oidcProvider}_user://${subject}`;
export const groupPrincipal = (group: string): string => `${oidcProvider}_group://${group}`;

type ClaimNames = Pick<OidcConfig, 'groupsClaim' | 'nameClaim' | 'emailClaim'>;

export function identityOf(
  claims: Claims & { readonly sub: string },
  { groupsClaim, nameClaim, emailClaim }: ClaimNames,
): ProviderIdentity {
  const text = (name: string): string | undefined => {
    const value = claims[name];
    return typeof value === 'string' && isName(value) ? value : undefined;
  };
  const loginName = text(emailClaim) ?? text('preferred_username') ?? claims.sub;
  const displayName = text(nameClaim) ?? text('preferred_username') ?? loginName;
  return { principal: userPrincipal(claims.sub), displayName, loginName, groups: groupsOf(claims[groupsClaim]) };
}

/** Whether it is said who somebody is and what groups they are in. */
export const isComplete = (claims: Claims, { groupsClaim, nameClaim }: ClaimNames): boolean =>
  claims[groupsClaim] !== undefined && claims[nameClaim] !== undefined;

function groupsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  const names = list.filter((one): one is string => typeof one === 'string' && isName(one));
  return [...new Set(names)].sort().slice(0, maxGroups).map(groupPrincipal);
}

/** What can be carried in a header as it is. */
function isName(text: string): boolean {
  return text !== '' && text.length <= maxNameLength && text === text.trim() && !/[\x00-\x1f\x7f]/.test(text) && text.isWellFormed();
}
