import { join } from 'node:path';
import { Cluster } from '../api/cluster.ts';
import type { Work } from '../api/work.ts';
import type { AuditLog } from '../apiserver/audit/audit-log.ts';
import type { WebHandler } from '../apiserver/http/https-server.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import { notedAccess } from '../auth/noted-access.ts';
import type { UserInfo } from '../auth/user.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { Transport } from '../client/transport.ts';
import { runClusterController } from '../core/clusters/cluster-controller.ts';
import { clusterId } from '../core/clusters/cluster-id.ts';
import { clusterIndexes } from '../core/clusters/cluster-indexes.ts';
import { credentialSecrets } from '../core/clusters/direct-way.ts';
import { hubNamed, withWayToHub } from '../core/clusters/hub-as-cluster.ts';
import { localWay } from '../core/clusters/local-cluster.ts';
import { memberDirectory, type MemberDirectory } from '../core/clusters/member-directory.ts';
import { keepOfCluster } from '../core/clusters/share-api-resources.ts';
import { runAgentPodsController } from '../core/registration/agent-pods-controller.ts';
import { publishGatewayAddress } from '../core/registration/gateway-address.ts';
import { runWorks, workInformer } from '../core/works/run-works.ts';
import { k0rdentAdmission } from '../dialects/k0rdent/admission/k0rdent-admission.ts';
import { clusterDeploymentIndex, clusterDeploymentsOf } from '../dialects/k0rdent/cluster-of.ts';
import { k0rdentObjects, runK0rdent } from '../dialects/k0rdent/k0rdent.ts';
import { runKarmadaClusters } from '../dialects/karmada/karmada-clusters.ts';
import { previewRoute } from '../dialects/k0rdent/previews/preview-route.ts';
import { enterMember } from '../dialects/rancher/access/enter-member.ts';
import { rancherAdmission } from '../dialects/rancher/admission/rancher-admission.ts';
import { oidcIdentity } from '../dialects/rancher/identity/oidc/oidc.ts';
import { rancherIdentity } from '../dialects/rancher/identity/identity.ts';
import { loginNameOf, userIdsOf } from '../dialects/rancher/identity/login-name.ts';
import { oneTimeLinks } from '../dialects/rancher/identity/one-time-links.ts';
import { signedInAccess } from '../dialects/rancher/identity/signed-in-access.ts';
import { manifestWishes } from '../dialects/rancher/clusters/manifest-wishes.ts';
import { rancherObjects } from '../dialects/rancher/rancher-objects.ts';
import { runRancher } from '../dialects/rancher/rancher.ts';
import { rancherWeb } from '../dialects/rancher/rancher-web.ts';
import { deliveryAdmission } from '../dialects/workflows/admission/delivery-admission.ts';
import { freezeDesk } from '../dialects/workflows/freezes/run-freezes.ts';
import { webhookTokens } from '../dialects/workflows/web/webhook-tokens.ts';
import { workflowWeb } from '../dialects/workflows/web/workflow-web.ts';
import { workflowObjects } from '../dialects/workflows/workflow-objects.ts';
import { runWorkflows } from '../dialects/workflows/workflows.ts';
import { admissionToken, ownReviews } from '../gateway/admission-route.ts';
import { auditRoute } from '../gateway/audit/audit-route.ts';
import { auditedGateway } from '../gateway/audit/audited-gateway.ts';
import { hubGateway } from '../gateway/hub-gateway.ts';
import { pagePath, pageRoute } from '../gateway/page/page-route.ts';
import { pageStreams } from '../gateway/page/page-streams.ts';
import type { Pki } from '../pki/ensure-pki.ts';
import type { RunningController } from '../runtime/controller.ts';
import { printControllerStats } from '../runtime/controller-stats.ts';
import { informer, type Informer } from '../runtime/informer.ts';
import { log } from '../runtime/log.ts';
import { createRenderPool } from '../render/render-pool.ts';
import { runHarvesterSandboxes } from '../sandbox/harvester/run-harvester-sandboxes.ts';
import { runSandboxes } from '../sandbox/run-sandboxes.ts';
import { createEgress } from '../sources/egress.ts';
import { TunnelSessions } from '../tunnel/tunnel-sessions.ts';
import { printFleetMetrics } from './fleet-metrics.ts';

export interface MembersOptions {
  /** The hub's API as the hub itself. */
  readonly hub: KubeClient;
  /** Connections to the hub's API that leave HTTP, as the hub itself. */
  readonly upgradeAtHub: Transport['upgrade'];
  readonly access: HubAccess;
  readonly pki: Pki;
  readonly dataDir: string;
  /** Where people find the gateway. */
  readonly url: string;
  /** Where the hub's API server finds it. */
  readonly webhookUrl: string;
  /** Where members find it, when that is elsewhere. */
  readonly serverUrl: string | undefined;
  readonly agentImage: string;
  readonly version: string;
  /** Subnets that sources of charts may be in though they are not public. */
  readonly allowEgress?: readonly string[];
  /** How many clusters workflows change at the same time, over all runs. */
  readonly clustersAtOnce?: number | undefined;
  /** Where it is written who did what. It stays open. */
  readonly audit: AuditLog;
  /** The hash of the first administrator's password. There is such a person already when absent. */
  readonly adminPassword?: string | undefined;
  /** Whether this hub may change members at the moment. It may when absent. */
  readonly mayWrite?: () => boolean;
  /** Answers what is not the gateway's. */
  readonly behind?: WebHandler;
}

/** Everything about members that runs in a hub, whichever API it has. */
export interface Members extends AsyncDisposable {
  readonly gateway: WebHandler;
  readonly clusters: Informer<Cluster>;
  readonly directory: MemberDirectory;
  /** In the text format of Prometheus. */
  metrics(): string;
  /** Whom a bearer token of the form `name:key` stands for at the hub's own API. */
  bearerUser(token: string): UserInfo | undefined;
  /** The reviews that the hub's API server is told to ask for at an address, when that is the hub's own. */
  ownReview: ReturnType<typeof ownReviews>;
  /** The address of the page that signs in the first administrator, once, within a quarter of an hour. */
  signInLink(): Promise<string>;
}

/** Runs the controllers of the hub's kinds, which must be installed, and the gateway, until it is disposed of. */
export function startMembers(options: MembersOptions, stop: AbortController): Members {
  const { hub, pki, dataDir, url, serverUrl, agentImage, version, audit, behind } = options;
  const { signal } = stop;
  const onError = (what: string) => (error: unknown) => log.warn('cannot watch', { kind: what, err: error });
  const indexes = { ...clusterIndexes, [clusterDeploymentIndex]: clusterDeploymentsOf };
  const clusters = informer(hub, Cluster, { signal, indexes, keep: keepOfCluster, onError: onError('Cluster') });
  const secrets = credentialSecrets(hub, { signal, onError: onError('Secret') });
  const directory = memberDirectory({ clusters, secrets, signal, ...(options.mayWrite && { mayWrite: options.mayWrite }) });
  const sessions = new TunnelSessions();
  directory.register('Tunnel', { open: cluster => ({ transport: sessions.transport(clusterId(cluster)) }) });
  const local = localWay(hub, options.upgradeAtHub);
  directory.register('Local', local);
  const sandboxes = runSandboxes({ hub, clusters, members: directory, pki, dir: join(dataDir, 'sandboxes'), signal });

  const objects = k0rdentObjects(hub, { signal, onError });
  const hubFacts = { serverUrl: serverUrl ?? url, authorities: pki.authority.certificate, version, agentImage };
  const rancher = rancherObjects(hub, hubFacts, { signal, onError });
  const delivery = workflowObjects(hub, { dataDir, signal, onError });
  const identity = rancherIdentity({ hub, settings: rancher.settings, signal, onError });
  const egress = createEgress({ allow: options.allowEgress ?? [] });
  const oidc = oidcIdentity({ hub, identity, settings: rancher.settings, egress, authorityKey: pki.authority.key, signal });
  const links = oneTimeLinks(identity.objects);
  const signIn = { serverUrl: () => rancher.settings.value('server-url'), ready: () => identity.ready() };
  const access = notedAccess(signedInAccess(options.access, identity.tokens, signIn));
  const memberNamed = (ref: string) => clusters.by('id', ref)[0] ?? clusters.get(ref);
  const findCluster = (ref: string) => memberNamed(ref) ?? hubNamed(ref);
  const wayTo = withWayToHub(local, cluster => directory.transport(cluster.metadata.name!));
  const enter = enterMember({ hub, signal, onError: onError('Work') });
  const transportOf = async (cluster: Cluster, user: UserInfo) => {
    const transport = wayTo(cluster);
    await enter(cluster, user);
    return transport;
  };
  const rancherApi = rancherWeb({
    hub,
    access,
    objects: rancher,
    identity,
    providers: [oidc, links],
    findCluster,
    transportOf,
    serverUrl,
    version,
    signal,
  });
  const renderer = createRenderPool();
  const streams = pageStreams({ access, gateway: () => audited, signal });
  const reviewers = {
    k0rdent: k0rdentAdmission({ hub, ...objects }),
    rancher: rancherAdmission({ hub, access }),
    workflows: deliveryAdmission({ hub, access, loginNameOf: user => loginNameOf(identity.objects, user) }),
  };
  const gateway = hubGateway({
    hub,
    access,
    authority: pki.authority,
    clusters,
    sessions,
    transportOf,
    serverUrl,
    agentImage,
    manifestWishes: manifestWishes(rancher),
    version,
    dialects: [
      pageRoute({ streams }),
      auditRoute({ access, log: audit, aliasesOf: name => userIdsOf(identity.objects, name) }),
      rancherApi,
      previewRoute({ access, transportOf, renderer }),
      workflowWeb({
        hub,
        access,
        ...delivery,
        tokens: webhookTokens({ hub, triggers: delivery.triggers }),
        freezes: freezeDesk(delivery.freezes),
        serverUrl: () => serverUrl ?? url,
        signal,
      }),
    ],
    home: pagePath,
    reviewers,
    behind,
    signal,
    onError: (what, error) => log.warn('request failed', { controller: what, err: error }),
  });
  const audited = auditedGateway(gateway, {
    log: audit,
    findCluster: memberNamed,
    loginNameOf: user => loginNameOf(identity.objects, user),
  });
  const controllers: RunningController[] = [];
  let knownWorks: Informer<Work> | undefined;
  const { certificate: authorities, key } = pki.authority;
  const admission = { url: options.webhookUrl, authorities, token: admissionToken(key) };
  // Members are not asked before their credentials are known: those would seem to be missing.
  directory.synced.then(
    () => {
      const works = (knownWorks = workInformer(hub, { signal, onError }));
      controllers.push(
        runClusterController({ hub, clusters, members: directory, agents: sessions, works, signal }),
        runAgentPodsController({ hub, clusters, members: directory, signal }),
        runHarvesterSandboxes({ clusters, members: directory, egress, version, signal }),
        runKarmadaClusters({ hub, clusters, signal }),
        ...runK0rdent({ hub, objects, clusters, works, members: directory, renderer, egress, version, admission, signal, onError }),
        ...identity.run({ adminPassword: options.adminPassword }),
        ...oidc.run(),
        ...runRancher({
          hub,
          access,
          objects: rancher,
          clusters,
          works,
          members: directory,
          agents: sessions,
          version,
          admission,
          signal,
          onError,
        }),
        ...runWorkflows({
          hub,
          objects: delivery,
          clusters,
          works,
          members: directory,
          renderer,
          egress,
          admission,
          serverUrl: () => serverUrl ?? url,
          maxInFlight: options.clustersAtOnce,
          signal,
          onError,
        }),
        ...runWorks({ hub, clusters, works, directory, renderer, egress, signal, onError }),
      );
    },
    () => {},
  );
  publishGatewayAddress(hub, { url: serverUrl ?? url, authorities: pki.authority.certificate }, { signal }).catch((err: unknown) => {
    if (!signal.aborted) log.warn('the address of the gateway was not published', { err });
  });

  return {
    gateway: audited,
    clusters,
    directory,
    metrics: () =>
      printControllerStats(controllers.map(one => one.stats)) +
      printFleetMetrics({ clusters: clusters.list(), works: knownWorks?.list() ?? [], tunnels: sessions.openCount }),
    bearerUser: token => identity.bearerUser(token),
    ownReview: ownReviews({ token: admission.token, reviewers }, options.webhookUrl),
    signInLink: async () => `${url}${pagePath}#code=${await links.issue()}`,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the hub stops'));
      await sessions[Symbol.asyncDispose]();
      await sandboxes[Symbol.asyncDispose]();
      await renderer[Symbol.asyncDispose]();
    },
  };
}
