import type { OidcConfig } from './oidc-config.ts';
import type { ProviderIdentity } from './provider-identity.ts';

/** What a binding says about whom it is for. */
export interface Bound {
  readonly userName?: string | undefined;
  readonly userPrincipalName?: string | undefined;
  readonly groupPrincipalName?: string | undefined;
}

/**
 * Whether somebody whom the provider knows may sign in. `required`: only those who are allowed by name or group. `restricted`: they, and members of clusters and projects.
 */
export function mayEnter(
  { accessMode, allowedPrincipalIds }: Pick<OidcConfig, 'accessMode' | 'allowedPrincipalIds'>,
  { principal, groups }: Pick<ProviderIdentity, 'principal' | 'groups'>,
  { userName, bindings }: { userName: string; bindings: readonly Bound[] },
): boolean {
  if (accessMode === 'unrestricted') return true;
  const own = new Set([principal, ...groups]);
  if (allowedPrincipalIds.some(id => own.has(id))) return true;
  if (accessMode === 'required') return false;
  return bindings.some(
    bound => bound.userName === userName || own.has(bound.userPrincipalName ?? '') || own.has(bound.groupPrincipalName ?? ''),
  );
}
