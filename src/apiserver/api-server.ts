import { X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { authenticator } from '../auth/authenticator.ts';
import { reconcileBootstrapPolicy } from '../auth/bootstrap-policy.ts';
import { certificateAdmission } from '../auth/certificate-admission.ts';
import { certificateSigningController } from '../auth/certificate-signing.ts';
import { clusterRoleAggregationController } from '../auth/cluster-role-aggregation.ts';
import { rbacEscalationPlugin } from '../auth/escalation.ts';
import { rbacAuthorizer } from '../auth/rbac.ts';
import { serviceAccountAuthenticator } from '../auth/service-account-authenticator.ts';
import { namespaceFurnitureController, tokenSecretController } from '../auth/service-account-controllers.ts';
import { serviceAccountTokens } from '../auth/service-account-tokens.ts';
import { staticTokens } from '../auth/static-tokens.ts';
import type { UserInfo } from '../auth/user.ts';
import type { Pki } from '../pki/ensure-pki.ts';
import type { Store } from '../store/store.ts';
import { defaultPlugins } from './admission/default-plugins.ts';
import { aggregatedProxyFor, aggregator } from './aggregation/aggregator.ts';
import { httpsPools } from './aggregation/https-pools.ts';
import { serviceResolver } from './aggregation/resolve-service.ts';
import { auditLog } from './audit/audit-log.ts';
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
import { crdController } from './crd/crd-controller.ts';
import { customSchemasOf } from './crd/openapi-of-crd.ts';
import { isCustomResource } from './crd/custom-resources.ts';
import { serveDefinitions } from './crd/serve-definitions.ts';
import { apiHandler } from './http/api-handler.ts';
import { apiMetrics } from './http/api-metrics.ts';
import { guardServer, serverLimits } from './http/server-limits.ts';
import { OpenApiDocuments } from './openapi/openapi-documents.ts';

const compactEveryMs = 30_000;
/** The real controller waits five seconds. */
const namespaceGraceMs = 1000;

export interface ApiServerOptions {
  readonly store: Store;
  readonly pki: Pki;
  readonly tokens?: Iterable<{ digest: string; user: UserInfo }>;
  readonly auditFile?: string;
  readonly auditPolicy?: AuditPolicy;
  onError?(what: string, error: unknown): void;
}

export interface ApiServer extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly server: Server;
  listen(host: string, port: number): Promise<{ host: string; port: number }>;
  /** Ends streams, waits for requests under way, stops controllers. The store stays open. */
  close(): Promise<void>;
}

/** A whole Kubernetes API server over a store: users, admission, controllers and HTTPS. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, pki, onError = () => {} } = options;
  const cluster = new Cluster(store);
  const pools = httpsPools();
  const resolveService = serviceResolver(cluster);
  const definitions = serveDefinitions(cluster, { webhooks: { pools, resolveService } });

  const authorizer = rbacAuthorizer(cluster);
  const tokens = serviceAccountTokens({ signingKey: pki.serviceAccountKey });
  const serviceAccounts = serviceAccountAuthenticator({ api: cluster, tokens, now: () => new Date() });
  const authentication = authenticator({
    clientAuthorities: [new X509Certificate(pki.authority.certificate)],
    frontProxyAuthorities: [new X509Certificate(pki.frontProxyAuthority.certificate)],
    staticTokens: staticTokens(options.tokens ?? []),
    serviceAccounts: (token, audiences) => serviceAccounts(token, audiences),
    audiences: tokens.audiences,
  });
  cluster.plugins = [
    ...defaultPlugins({ api: cluster, authorizer, resolveService, pools }),
    ...certificateAdmission(authorizer),
    rbacEscalationPlugin(authorizer),
  ];

  await ensureSystemObjects(cluster);
  await publishAuthentication(cluster, pki);
  await reconcileBootstrapPolicy(cluster);
  const controllerOptions = { onError: (key: string, error: unknown) => onError(`controller: ${key}`, error) };
  const rootCa = pki.authority.certificate;
  const remote = { pools, resolveService, proxyClient: () => pki.frontProxyClient };
  const aggregated = aggregator(cluster, remote);
  const controllers: Disposable[] = [
    aggregated,
    apiServiceController(cluster, { ...controllerOptions, ...remote }),
    crdController(cluster, controllerOptions),
    namespaceController(cluster, { ...controllerOptions, graceMs: namespaceGraceMs }),
    garbageCollector(cluster, controllerOptions),
    eventTtl(cluster, controllerOptions),
    quotaController(cluster, controllerOptions),
    clusterRoleAggregationController(cluster),
    namespaceFurnitureController(cluster, { ...controllerOptions, rootCa }),
    tokenSecretController(cluster, { ...controllerOptions, rootCa, tokens }),
    flowSchemaController(cluster, controllerOptions),
    serviceIpRecords(cluster, controllerOptions),
    certificateSigningController(cluster, { ...controllerOptions, authority: pki.authority, authorizer }),
  ];

  const log =
    options.auditFile === undefined ? undefined : auditLog({ path: options.auditFile, onError: error => onError('audit log', error) });
  const openApi = new OpenApiDocuments(() => ({
    generation: cluster.catalog.generation + aggregated.generation,
    resources: cluster.catalog.all(),
    remote: aggregated.discoveryItems(),
    customSchemas: definitions.schemas(() => customSchemasOf(cluster.catalog.all().filter(isCustomResource))),
  }));
  const requests = apiMetrics(cluster, error => onError('request', error));
  let isStopping = false;
  const handler = apiHandler({
    cluster,
    authenticator: authentication,
    authorizer,
    tokens,
    openApi,
    aggregator: aggregated,
    audit: auditTrail(log, options.auditPolicy ?? defaultAuditPolicy),
    requests,
    metrics: () => requests.print(),
    health: {
      ping: () => undefined,
      store: () => undefined,
      'poststarthook/rbac/bootstrap-roles': () => undefined,
      shutdown: () => (isStopping ? 'the server is stopping' : undefined),
    },
  });
  const server = createServer(
    {
      cert: pki.server.certificate,
      key: pki.server.key,
      ca: [pki.authority.certificate, pki.frontProxyAuthority.certificate],
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ...serverLimits,
      shouldUpgradeCallback: req => aggregatedProxyFor(aggregated, (req.url ?? '').split('?', 1)[0]!) !== undefined,
    },
    (req, res) =>
      void handler(req, res).catch(error => {
        onError('request', error);
        res.destroy();
      }),
  );
  guardServer(server);
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    const res = new ServerResponse(req);
    res.assignSocket(socket);
    handler(req, res, { socket, head }).catch(error => onError('request', error));
  });
  const compaction = setInterval(() => store.compact(), compactEveryMs).unref();

  async function close(): Promise<void> {
    isStopping = true;
    clearInterval(compaction);
    for (const controller of controllers) controller[Symbol.dispose]();
    cluster.watches.close();
    server.closeIdleConnections();
    const closed = new Promise<void>(resolve => server.close(() => resolve()));
    const force = setTimeout(() => server.closeAllConnections(), 2000);
    await closed;
    clearTimeout(force);
    await pools[Symbol.asyncDispose]();
    await log?.[Symbol.asyncDispose]();
  }

  return {
    cluster,
    server,
    close,
    [Symbol.asyncDispose]: close,
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      const address = server.address() as AddressInfo;
      return { host: address.address, port: address.port };
    },
  };
}
