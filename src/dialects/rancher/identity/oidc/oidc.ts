import type { DialectRoutes } from '../../../../gateway/dialect-routes.ts';
import type { KubeClient } from '../../../../client/kube-client.ts';
import type { RunningController } from '../../../../runtime/controller.ts';
import type { Egress } from '../../../../sources/egress.ts';
import type { Settings } from '../../clusters/settings.ts';
import type { Identity } from '../identity.ts';
import type { SignInProvider } from '../sign-in-provider.ts';
import { clientSecrets } from './client-secret.ts';
import { stateKey } from './login-state.ts';
import { oidcClient } from './oidc-client.ts';
import { oidcRoutes, oidcSignInProvider } from './oidc-routes.ts';
import { oidcSignIn } from './oidc-sign-in.ts';
import { runOidc } from './run-oidc.ts';

export interface OidcIdentityDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly identity: Pick<Identity, 'objects' | 'tokens'>;
  readonly settings: Pick<Settings, 'number'>;
  readonly egress: Egress;
  /** The private key of the hub's authority, PEM: what is sealed with it, all replicas can read. */
  readonly authorityKey: string;
  readonly signal: AbortSignal;
}

/** Signing in with OpenID Connect, whole. */
export interface OidcIdentity {
  /** To be asked before other public routes. */
  readonly routes: DialectRoutes;
  readonly provider: SignInProvider;
  run(): RunningController[];
}

export function oidcIdentity({ hub, identity, settings, egress, authorityKey, signal }: OidcIdentityDeps): OidcIdentity {
  const { objects, tokens } = identity;
  const client = oidcClient({ egress, readSecret: clientSecrets(hub) });
  const signIn = oidcSignIn({ hub, objects, client, key: stateKey(authorityKey) });
  return {
    routes: oidcRoutes({ signIn, tokens }),
    provider: oidcSignInProvider(signIn),
    run: () => runOidc({ hub, objects, settings, client, signal }),
  };
}
