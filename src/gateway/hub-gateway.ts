import type { Cluster } from '../api/cluster.ts';
import type { WebHandler } from '../apiserver/http/https-server.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import type { UserInfo } from '../auth/user.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { Transport } from '../client/transport.ts';
import { hubNamed } from '../core/clusters/hub-as-cluster.ts';
import type { ManifestWishes } from '../core/registration/manifest-options.ts';
import { readAuthority, type KeyPair } from '../pki/certificate-authority.ts';
import { memberProxy } from '../proxy/member-proxy.ts';
import type { Informer } from '../runtime/informer.ts';
import type { TunnelSessions } from '../tunnel/tunnel-sessions.ts';
import type { AdmissionReviewer } from '../core/admission/admission-review.ts';
import { admissionRoute, admissionToken } from './admission-route.ts';
import { agentApi } from './agent-api.ts';
import { sendPlainError } from './answer.ts';
import { authoritiesRoute, publishedAuthorities } from './authorities.ts';
import { chartRoutes } from './chart-routes.ts';
import { clusterFinder } from './cluster-finder.ts';
import type { DialectRoutes } from './dialect-routes.ts';
import { failureLimit } from './failure-limit.ts';
import { gateway } from './gateway.ts';
import { importRoute } from './import-route.ts';
import { agentRegistration } from './register-agent.ts';
import { revokeAgents } from './revoke-agents.ts';
import { agentVerifier } from './verify-agent.ts';

export interface HubGatewayOptions {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly access: HubAccess;
  /** Vouches for the hub's own certificate and for its agents. */
  readonly authority: KeyPair;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly sessions: TunnelSessions;
  /** Throws when there is no way to the member. */
  transportOf(cluster: Cluster, user: UserInfo): Transport | Promise<Transport>;
  /** Where members find the hub; what they called it when absent. */
  readonly serverUrl?: string | undefined;
  readonly agentImage: string;
  /** What is to be different in the import manifest of one cluster. */
  readonly manifestWishes?: (cluster: Cluster) => ManifestWishes;
  readonly version: string;
  /** What dialects say about objects before they are written. */
  readonly reviewers?: Readonly<Record<string, AdmissionReviewer>>;
  /** What dialects serve besides their kinds. */
  readonly dialects?: readonly DialectRoutes[];
  /** Where browsers go that ask for `/`. */
  readonly home?: string;
  /** Answers everything that is not the gateway's. */
  readonly behind?: WebHandler | undefined;
  readonly signal: AbortSignal;
  onError?(what: string, error: unknown): void;
}

/** The gateway of a hub, whole: what agents, importers and users of members' APIs ask for. */
export function hubGateway(options: HubGatewayOptions): WebHandler {
  const { hub, clusters, sessions, access, signal, transportOf, onError = () => {} } = options;
  const authority = readAuthority(options.authority);
  const finder = clusterFinder(clusters, hub);
  const { findById: findClusterById, findByUid: findClusterByUid } = finder;
  const verifyAgent = agentVerifier({ hub, authority, findClusterById });
  const guesses = failureLimit();
  const register = agentRegistration({ hub, authority, verifyAgent, findClusterById, findClusterByUid });
  const sendManifest = importRoute({
    hub,
    findClusterById,
    serverUrl: options.serverUrl,
    caChecksum: publishedAuthorities(authority.certificate).checksum,
    agentImage: options.agentImage,
    version: options.version,
    ...(options.manifestWishes && { manifestWishes: options.manifestWishes }),
  });
  const agents = agentApi({ hub, verifyAgent });
  const ended = {
    end: (id: string, why: 'removed' | 'identityRefused', reason: string) => (agents.end(id), sessions.end(id, why, reason)),
  };
  revokeAgents({ hub, clusters, sessions: ended, signal, onError: error => onError('agent identities', error) });

  return gateway(
    {
      proxy: memberProxy({ access, findCluster: ref => finder.find(ref) ?? hubNamed(ref), transportOf }),
      authorities: authoritiesRoute(authority.certificate),
      importManifest: (req, res) =>
        guesses.guard(req, () => sendManifest(req, res)).catch((error: unknown) => sendPlainError(req, res, error)),
      charts: chartRoutes({ hub, access }),
      ...(options.reviewers && {
        admission: admissionRoute({ token: admissionToken(options.authority.key), reviewers: options.reviewers }),
      }),
      register: (req, res) => guesses.guard(req, () => register(req, res)),
      agentApi: agents.handle,
      connect: connecting(),
      ...(options.dialects && { dialects: options.dialects }),
      ...(options.home !== undefined && { home: options.home }),
      onError: error => onError('gateway', error),
    },
    options.behind,
  );

  /** WebSockets are loaded with the first agent: most hubs start without one. */
  function connecting(): NonNullable<Parameters<typeof gateway>[0]['connect']> {
    let loading: Promise<ReturnType<(typeof import('../tunnel/connect-handler.ts'))['connectHandler']>> | undefined;
    return async (req, socket, head) => {
      loading ??= import('../tunnel/connect-handler.ts').then(({ connectHandler }) =>
        connectHandler({ sessions, verify: verifyAgent, onError }),
      );
      await (
        await loading
      )(req, socket, head);
    };
  }
}
