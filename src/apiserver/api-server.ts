import { authenticator, type Authenticator } from '../auth/authenticator.ts';
import { reconcileBootstrapPolicy } from '../auth/bootstrap-policy.ts';
import { certificateAdmission } from '../auth/certificate-admission.ts';
import { certificateSigningController } from '../auth/certificate-signing.ts';
import { clusterRoleAggregationController } from '../auth/cluster-role-aggregation.ts';
import { rbacEscalationPlugin } from '../auth/escalation.ts';
import { rbacAuthorizer, type RbacAuthorizer } from '../auth/rbac.ts';
import { serviceAccountAuthenticator } from '../auth/service-account-authenticator.ts';
import { namespaceFurnitureController, tokenSecretController } from '../auth/service-account-controllers.ts';
import { serviceAccountTokens } from '../auth/service-account-tokens.ts';
import { staticTokens } from '../auth/static-tokens.ts';
import type { UserInfo } from '../auth/user.ts';
import type { Pki } from '../pki/ensure-pki.ts';
import { compactWhileChanging } from '../store/compact-while-changing.ts';
import type { Store } from '../store/store.ts';
import { defaultPlugins } from './admission/default-plugins.ts';
import { aggregatedProxyFor, aggregator } from './aggregation/aggregator.ts';
import type { OwnWebhooks } from './admission/webhook-client.ts';
import { httpsPools } from './aggregation/https-pools.ts';
import { serviceResolver } from './aggregation/resolve-service.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { defaultAuditPolicy, type AuditPolicy } from './audit/audit-policy.ts';
import { auditTrail } from './audit/audit-trail.ts';
import { publishAuthentication } from './bootstrap/publish-authentication.ts';
import { ensureSystemObjects } from './bootstrap/system-objects.ts';
import { serviceIpRecords } from './builtin/service/service-ip-records.ts';
import { Cluster } from './cluster.ts';
import { apiServiceController } from './controllers/api-service-controller.ts';
import { eventTtl } from './controllers/event-ttl.ts';
import { flowSchemaController } from './controllers/flow-schema-controller.ts';
import { garbageCollector } from './controllers/garbage-collector.ts';
import { namespaceController } from './controllers/namespace-controller.ts';
import { quotaController } from './controllers/quota-controller.ts';
import type { RunningController } from './controllers/running-controller.ts';
import { crdController } from './crd/crd-controller.ts';
import { customSchemasOf } from './crd/openapi-of-crd.ts';
import { isCustomResource } from './crd/custom-resources.ts';
import { serveDefinitions } from './crd/serve-definitions.ts';
import { apiHandler, type ApiDeps } from './http/api-handler.ts';
import { apiMetrics } from './http/api-metrics.ts';
import { flowClassifier } from './http/flow-control.ts';
import type { Kubelets } from './http/node-bound.ts';
import type { WebHandler } from './http/https-server.ts';
import { lastResponseOn } from './http/last-response.ts';
import { isSocketWatch } from './http/watch-socket.ts';
import { OpenApiDocuments } from './openapi/openapi-documents.ts';

/** The real controller waits five seconds. */
const namespaceGraceMs = 1000;

export interface ApiServerOptions {
  readonly store: Store;
  readonly pki: Pki;
  readonly tokens?: Iterable<{ digest: string; user: UserInfo }>;
  /** Who stands behind a bearer token of the form `name:key`. */
  bearerTokens?(token: string): UserInfo | undefined;
  /** What is done is written there. It stays open. */
  readonly audit?: AuditLog;
  readonly auditPolicy?: AuditPolicy;
  /** PEM of the authority that signed the server's certificate. Default: the one that signs client certificates. */
  readonly rootCa?: string;
  /** The store began with what every cluster has, so that nothing needs to be looked for. */
  readonly isBootstrapped?: boolean;
  /** Default: the wall clock. */
  readonly now?: () => Date;
  /** Webhooks that are served by the same process. */
  readonly ownWebhooks?: OwnWebhooks;
  /** Answers for the nodes of the cluster: logs, and why there is nothing to be executed. Default: nobody does. */
  kubelets?(cluster: Cluster): Kubelets;
  /** Printed after the metrics of the server itself. */
  moreMetrics?(): string;
  onError?(what: string, error: unknown): void;
}

/** A Kubernetes API without a listener: whoever composes the process decides where it is served and what stands before it. */
export interface ApiServer extends WebHandler, AsyncDisposable {
  readonly cluster: Cluster;
  readonly authenticator: Authenticator;
  readonly authorizer: RbacAuthorizer;
  /** For callers in the same process who need not prove that they are this user. */
  handlerAs(user: UserInfo): WebHandler;
  /** Resolves when the controllers have nothing left to do for now. */
  idle(): Promise<void>;
  /** Ends streams and stops controllers; requests under way are still answered. */
  endStreams(): void;
  /** To be called when no request is under way any more. The store stays open. */
  close(): Promise<void>;
}

/** A whole Kubernetes API over a store: users, admission and controllers. */
export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, pki, rootCa = pki.authority.certificate, now = () => new Date(), onError = () => {} } = options;
  const cluster = new Cluster(store, { now, onError });
  const pools = httpsPools();
  const resolveService = serviceResolver(cluster);
  const definitions = serveDefinitions(cluster, { webhooks: { pools, resolveService } });

  const authorizer = rbacAuthorizer(cluster);
  const tokens = serviceAccountTokens({ signingKey: pki.serviceAccountKey });
  const serviceAccounts = serviceAccountAuthenticator({ api: cluster, tokens, now });
  const authentication = authenticator({
    clientAuthorities: [pki.authority.x509],
    frontProxyAuthorities: [pki.frontProxyAuthority.x509],
    staticTokens: staticTokens(options.tokens ?? []),
    serviceAccounts: (token, audiences) => serviceAccounts(token, audiences),
    ...(options.bearerTokens && { bearerTokens: token => options.bearerTokens!(token) }),
    audiences: tokens.audiences,
  });
  cluster.plugins = [
    ...defaultPlugins({ api: cluster, authorizer, resolveService, pools, ownWebhooks: options.ownWebhooks }),
    ...certificateAdmission(authorizer),
    rbacEscalationPlugin(authorizer),
  ];

  if (!options.isBootstrapped) await ensureSystemObjects(cluster, now);
  await publishAuthentication(cluster, pki);
  if (!options.isBootstrapped) await reconcileBootstrapPolicy(cluster);
  const controllerOptions = {
    now,
    isSettled: options.isBootstrapped ?? false,
    onError: (key: string, error: unknown) => onError(`controller: ${key}`, error),
  };
  const remote = { pools, resolveService, proxyClient: () => pki.frontProxyClient };
  const aggregated = aggregator(cluster, remote);
  const controllers: RunningController[] = [
    aggregated,
    apiServiceController(cluster, { ...controllerOptions, ...remote }),
    crdController(cluster, controllerOptions),
    namespaceController(cluster, { ...controllerOptions, graceMs: namespaceGraceMs }),
    garbageCollector(cluster, controllerOptions),
    eventTtl(cluster, controllerOptions),
    quotaController(cluster, controllerOptions),
    clusterRoleAggregationController(cluster, controllerOptions),
    namespaceFurnitureController(cluster, { ...controllerOptions, rootCa }),
    tokenSecretController(cluster, { ...controllerOptions, rootCa, tokens }),
    flowSchemaController(cluster, controllerOptions),
    serviceIpRecords(cluster, controllerOptions),
    certificateSigningController(cluster, { ...controllerOptions, authority: pki.authority, authorizer }),
  ];

  const openApi = new OpenApiDocuments(() => ({
    generation: cluster.catalog.generation + aggregated.generation,
    resources: cluster.catalog.all(),
    remote: aggregated.discoveryItems(),
    customSchemas: definitions.schemas(() => customSchemasOf(cluster.catalog.all().filter(isCustomResource))),
  }));
  const requests = apiMetrics(cluster, error => onError('request', error));
  let isStopping = false;
  const deps: ApiDeps = {
    cluster,
    authenticator: authentication,
    authorizer,
    tokens,
    ...(options.kubelets && { kubelets: options.kubelets(cluster) }),
    openApi,
    aggregator: aggregated,
    flows: flowClassifier(cluster),
    audit: auditTrail(options.audit, options.auditPolicy ?? defaultAuditPolicy),
    requests,
    metrics: async () => `${await requests.print()}${options.moreMetrics?.() ?? ''}`,
    health: {
      ping: () => undefined,
      store: () => undefined,
      'poststarthook/rbac/bootstrap-roles': () => undefined,
      shutdown: () => (isStopping ? 'the server is stopping' : undefined),
    },
  };
  function webHandler(deps: ApiDeps): WebHandler {
    const handler = apiHandler(deps);
    return {
      handle(req, res) {
        handler(req, res).catch(error => {
          onError('request', error);
          res.destroy();
        });
      },
      wantsUpgrade: req => isSocketWatch(req) || aggregatedProxyFor(aggregated, (req.url ?? '').split('?', 1)[0]!) !== undefined,
      upgrade(req, socket, head) {
        const res = lastResponseOn(req, socket);
        handler(req, res, { socket, head }).catch(error => onError('request', error));
      },
    };
  }

  const compaction = compactWhileChanging(store);

  async function idle(): Promise<void> {
    // What one controller does may be work for another, so all must be idle while nothing changes.
    let seen: number;
    do {
      seen = store.revision;
      for (const controller of controllers) await controller.idle();
    } while (seen !== store.revision);
  }

  function endStreams(): void {
    isStopping = true;
    compaction[Symbol.dispose]();
    for (const controller of controllers) controller[Symbol.dispose]();
    cluster.watches.close();
  }

  async function close(): Promise<void> {
    if (!isStopping) endStreams();
    await pools[Symbol.asyncDispose]();
  }

  return {
    cluster,
    authenticator: authentication,
    authorizer,
    ...webHandler(deps),
    handlerAs: user => webHandler({ ...deps, authenticator: knownUser(authentication, user) }),
    idle,
    endStreams,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function knownUser(authentication: Authenticator, user: UserInfo): Authenticator {
  return { ...authentication, authenticate: () => ({ user, warnings: [], annotations: {} }) };
}
