import type { Cluster } from '../../api/cluster.ts';
import type { HubAccess } from '../../auth/hub-access.ts';
import type { UserInfo } from '../../auth/user.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Transport } from '../../client/transport.ts';
import type { DialectRoutes } from '../../gateway/dialect-routes.ts';
import { log } from '../../runtime/log.ts';
import { harvester } from './harvester/harvester.ts';
import type { Identity } from './identity/identity.ts';
import { publicRoutes } from './identity/public-routes.ts';
import { localSignIn, type SignInProvider } from './identity/sign-in-provider.ts';
import type { RancherObjects } from './rancher-objects.ts';
import { sharedSources } from './subscribe/shared-sources.ts';
import { subscriptions } from './subscribe/subscriptions.ts';
import { steve, steveApis } from './v1/steve.ts';
import { rightsDesk } from './v3/caller-rights.ts';
import { memberApis } from './v3/member/member-apis.ts';
import { memberViews } from './v3/member/member-views.ts';
import { baseOf } from './v3/open-context.ts';
import { rancherTypes } from './v3/rancher-types.ts';
import { rancherRoutes } from './v3/routes.ts';

export interface RancherWebDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  /** Knows the people of Rancher. */
  readonly access: HubAccess;
  readonly objects: Pick<RancherObjects, 'settings' | 'managementClusters'>;
  readonly identity: Pick<Identity, 'objects' | 'tokens' | 'users' | 'authTokens' | 'programLogins' | 'ready'>;
  /** Providers besides the passwords of the hub, with the routes they need. */
  readonly providers?: readonly { readonly provider: SignInProvider; readonly routes?: DialectRoutes }[];
  /** By id, or else by name. */
  findCluster(ref: string): Cluster | undefined;
  transportOf(cluster: Cluster, user: UserInfo): Transport | Promise<Transport>;
  readonly serverUrl: string | undefined;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Everything that Rancher's clients find at the hub's address. */
export function rancherWeb(deps: RancherWebDeps): DialectRoutes {
  const { hub, access, identity, providers = [], serverUrl, version, signal } = deps;
  const { settings, managementClusters } = deps.objects;
  const { tokens, users } = identity;
  const context = { hub, access, settings, rights: rightsDesk(), serverUrl };
  const members = memberApis(deps);
  const table = rancherTypes({ settings, managementClusters, tokens, users, people: identity.objects, members });
  const apis = steveApis({ ...context, members });
  const onError = (err: unknown) => log.warn('a request to the API of Rancher failed', { err });
  return rancherRoutes({
    ...context,
    table,
    version,
    onError,
    more: [
      ...providers.flatMap(one => one.routes ?? []),
      publicRoutes({
        tokens,
        authTokens: identity.authTokens,
        programLogins: identity.programLogins,
        providers: [localSignIn(users, identity.objects.providers), ...providers.map(one => one.provider)],
        base: req => baseOf(context, req),
        serverUrl: () => settings.value('server-url'),
        bodyLimit: () => settings.bytes('public-api-body-limit'),
        ready: () => identity.ready(),
      }),
      subscriptions({ ...context, steve: apis, members, table, sourceOf: sharedSources(hub, { signal }), version, onError }),
      memberViews({ ...context, members }),
      harvester({ ...deps, steve: apis }),
      steve(apis),
    ],
  });
}
