import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { internalServerError, methodNotAllowed, noSuchResource, StatusError, timeout } from '../../api/status.ts';
import type { Authenticator } from '../../auth/authenticator.ts';
import { headerValues, type HeaderValues } from '../../auth/header-values.ts';
import { impersonator } from '../../auth/impersonation.ts';
import { forbiddenRequest, type RbacAuthorizer } from '../../auth/rbac.ts';
import { reviews } from '../../auth/reviews.ts';
import type { AccessAttributes, UserInfo } from '../../auth/user.ts';
import { recordUpdate } from '../apply/managed-fields.ts';
import { aggregatedProxyFor, type AggregatedProxy } from '../aggregation/aggregator.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Cluster } from '../cluster.ts';
import type { Resource } from '../resource.ts';
import { decodeObject, placeInNamespace } from '../verbs/decode-object.ts';
import { ownership } from '../verbs/update.ts';
import { sendError, sendObject, sendText } from './answer.ts';
import type { ApiMetrics } from './api-metrics.ts';
import { checkRoute, routeOf } from './check-route.ts';
import type { FlowClassifier } from './flow-control.ts';
import { InFlight, isLongRunning, type InFlightLimits } from './in-flight.ts';
import { negotiate } from './negotiate.ts';
import { peerCertificateOf } from './peer-certificate.ts';
import { servePath, type PathDeps } from './path-handler.ts';
import { attributesOf, parseRequestInfo, type RequestInfo } from './request-info.ts';
import { readObjectBody, type RequestScope, type Upgrade } from './request-scope.ts';
import { parseTarget } from './request-target.ts';
import { requestTimeoutMs } from './request-timeout.ts';
import { serveResource } from './resource-handler.ts';
import { serveBindings, type SubresourceDeps } from './created-subresources.ts';
import { serveSubresource } from './subresource-handler.ts';
import { parseWriteOptions } from './write-options.ts';

export interface ApiDeps extends PathDeps, SubresourceDeps {
  readonly cluster: Cluster;
  readonly authenticator: Authenticator;
  readonly authorizer: RbacAuthorizer;
  readonly audit: AuditTrail;
  readonly flows: FlowClassifier;
  readonly metrics: () => Promise<string>;
  readonly requests: ApiMetrics;
  readonly inFlightLimits?: InFlightLimits;
}

/** What is revoked ends within five seconds. */
const recheckMs = 2500;
const tooManyRequests = 'Too many requests, please try again later.\n';

export function apiHandler(deps: ApiDeps): (req: IncomingMessage, res: ServerResponse, upgrade?: Upgrade) => Promise<void> {
  const impersonate = impersonator(deps.authorizer);
  const inFlight = new InFlight(deps.inFlightLimits);

  return async (req, res, upgrade) => {
    const startedAt = performance.now();
    const now = new Date();
    const requestUri = req.url ?? '/';
    const target = parseTarget(requestUri);
    if (!target) return refuseTarget(res);
    const auditId = typeof req.headers['audit-id'] === 'string' ? req.headers['audit-id'] : randomUUID();
    res.setHeader('Audit-Id', auditId);
    res.setHeader('Cache-Control', 'no-cache, private');
    const warnings: string[] = [];
    const annotations: Record<string, string> = {};
    const info = parseRequestInfo(req.method ?? 'GET', target);
    const abort = new AbortController();
    const answer = { req, res, info, warnings, acceptsGzip: /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? '')) };
    const audited = deps.audit.begin({ auditId, requestUri, info, req, now, annotations });
    res.once('close', () => {
      if (!res.writableFinished) abort.abort();
      audited.end(res.statusCode);
      deps.requests.observe(info, req.method ?? '', res.statusCode, performance.now() - startedAt);
    });
    try {
      const deadline = startDeadline(abort, info);
      res.once('close', () => clearTimeout(deadline));
      const headers = headerValues(req.rawHeaders);
      const user = identify(req, headers, info, warnings, annotations);
      audited.user(user.requestor, user.impersonated);
      const effective = user.impersonated ?? user.requestor;
      const leave = inFlight.enter(info, effective);
      if (!leave) return await sendText(answer, 429, tooManyRequests, { 'Retry-After': '1', 'X-Content-Type-Options': 'nosniff' });
      res.once('close', leave);
      const attributes = attributesOf(info);
      tellFlow(res, effective, info, attributes);
      const decision = deps.authorizer.authorize(effective, attributes);
      annotations['authorization.k8s.io/decision'] = decision.allowed ? 'allow' : 'forbid';
      annotations['authorization.k8s.io/reason'] = decision.reason;
      if (!decision.allowed) throw forbiddenRequest(effective, attributes, decision.reason);
      const scope: RequestScope = {
        ...answer,
        cluster: deps.cluster,
        upgrade,
        ctx: {
          user: effective,
          userAgent: String(req.headers['user-agent'] ?? ''),
          now,
          signal: abort.signal,
          warn: text => void warnings.push(text),
          authorizeCreate: () => {
            if (!attributes.isResource) return;
            const wanted = { ...attributes, verb: 'create' };
            const answer = deps.authorizer.authorize(effective, wanted);
            if (!answer.allowed) throw forbiddenRequest(effective, wanted, answer.reason);
          },
          auditAnnotation: (key, value) => {
            annotations[key] = value;
          },
          auditName: name => audited.made(name),
        },
      };
      if (user.stillHolds && isLongRunning(info)) endWhenRevoked(user.stillHolds, res, upgrade);
      await untilAborted(dispatch(scope), abort.signal);
    } catch (error) {
      if (res.closed) return;
      const status = toStatusError(error, abort.signal);
      if (res.headersSent) {
        res.destroy();
        return;
      }
      if (status.code >= 500 && !(error instanceof StatusError)) deps.requests.internalError(error);
      if (hasUnreadBody(req)) res.setHeader('Connection', 'close');
      await sendError(answer, status, safeNegotiate(req, info));
    }
  };

  function tellFlow(res: ServerResponse, user: UserInfo, info: RequestInfo, attributes: AccessAttributes): void {
    const flow = isLongRunning(info) && info.verb !== 'watch' ? undefined : deps.flows.flowOf(user, attributes);
    if (!flow) return;
    res.setHeader('X-Kubernetes-PF-FlowSchema-UID', flow.schemaUid);
    res.setHeader('X-Kubernetes-PF-PriorityLevel-UID', flow.levelUid);
  }

  function identify(
    req: IncomingMessage,
    headers: HeaderValues,
    info: RequestInfo,
    warnings: string[],
    annotations: Record<string, string>,
  ) {
    const authentication = deps.authenticator.authenticate({ headers, peerCertificate: peerCertificateOf(req.socket) });
    warnings.push(...authentication.warnings);
    Object.assign(annotations, authentication.annotations);
    const wanted = impersonate(authentication.user, headers, attributesOf(info));
    const { stillHolds } = authentication;
    return { requestor: authentication.user, impersonated: wanted?.user as UserInfo | undefined, stillHolds };
  }

  async function dispatch(scope: RequestScope): Promise<void> {
    const { upgrade } = scope;
    const proxy = aggregatedProxyFor(deps.aggregator, scope.info.path);
    if (proxy) return upgrade ? carryThrough(scope, proxy, upgrade) : proxy.handle(scope.req, scope.res, scope.ctx.user);
    const wanted = scope.info.resource;
    // The path is looked up as it was written, although users are authorized for what it means.
    if (scope.info.path.startsWith('//')) return sendPageNotFound(scope);
    if (!wanted) {
      if (!(await servePath(scope, deps))) await servePathNotFound(scope);
      return;
    }
    const resource = deps.cluster.catalog.find(wanted);
    if (!resource) return serveUnknownResource(scope);
    if (resource.isCustom && isOutOfScope(resource, wanted)) return sendPageNotFound(scope);
    if (scope.info.extraSegments > 0 && wanted.subresource !== 'proxy' && !resource.isCustom) throw noSuchResource();
    const { method } = scope.req;
    if (method === 'HEAD' || method === 'OPTIONS' || (wanted.verb === 'watch' && method !== 'GET')) throw methodNotAllowed();
    if (resource.deprecationWarning !== undefined) scope.ctx.warn(resource.deprecationWarning);
    const review = reviews[`${resource.group}/${resource.resource}`];
    if (review) return serveReview(scope, resource, review);
    if (resource.storeKey === '/bindings') return serveBindings(scope, resource);
    return wanted.subresource === '' ? serveResource(scope, resource) : serveSubresource(scope, resource, deps);
  }

  async function servePathNotFound(scope: RequestScope): Promise<void> {
    const { path } = scope.info;
    const [, root, group, version] = path.split('/');
    const knownGroup = root === 'apis' && group !== undefined && version !== undefined && deps.cluster.catalog.hasBuiltinGroup(group);
    if (knownGroup || ((root === 'api' || root === 'version') && group !== undefined)) throw noSuchResource();
    return sendPageNotFound(scope);
  }

  function serveUnknownResource(scope: RequestScope): Promise<void> {
    const { group } = scope.info.resource!;
    if (deps.cluster.catalog.hasBuiltinGroup(group)) throw noSuchResource();
    return sendPageNotFound(scope);
  }

  async function serveReview(scope: RequestScope, resource: Resource, review: (typeof reviews)[string]): Promise<void> {
    if (scope.info.verb !== 'create') throw methodNotAllowed();
    checkRoute(scope.req, routeOf('create'));
    const negotiated = negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, {});
    const request = parseWriteOptions('CreateOptions', scope.info.query, scope.ctx);
    const next = decodeObject(resource, await readObjectBody(scope, resource), request);
    placeInNamespace(next, resource, scope.info.resource!.namespace);
    recordUpdate({ ...ownership(deps.cluster, resource, '', request), live: undefined, next });
    const answer = review(next, {
      authorizer: deps.authorizer,
      authenticator: deps.authenticator,
      audiences: deps.tokens.audiences,
      user: scope.ctx.user,
      namespace: scope.info.resource!.namespace,
      now: scope.ctx.now,
    });
    return sendObject(scope, 201, answer, negotiated);
  }
}

/** Streams do not outlive a credential that was taken back. */
function endWhenRevoked(stillHolds: () => boolean, res: ServerResponse, upgrade: Upgrade | undefined): void {
  const look = setInterval(() => {
    if (stillHolds()) return;
    upgrade?.socket.destroy();
    res.destroy();
  }, recheckMs).unref();
  res.once('close', () => clearInterval(look));
}

/** The connection leaves HTTP behind; those who wait for the end of the answer hear of it when the connection ends. */
async function carryThrough({ req, res, ctx }: RequestScope, proxy: AggregatedProxy, { socket, head }: Upgrade): Promise<void> {
  res.detachSocket(socket as Socket);
  res.statusCode = 101;
  await proxy.upgrade(req, socket, head, ctx.user);
  res.emit('close');
}

const sendPageNotFound = (scope: RequestScope) => sendText(scope, 404, '404 page not found\n', { 'X-Content-Type-Options': 'nosniff' });

/** Custom resources are found only under paths of their scope; those of all namespaces can be read together. */
function isOutOfScope({ namespaced }: Resource, { namespace, verb }: { namespace: string; verb: string }): boolean {
  return namespaced ? namespace === '' && verb !== 'list' && verb !== 'watch' : namespace !== '';
}

/** What Go's server says before any handler sees the request. */
function refuseTarget(res: ServerResponse): void {
  res.setHeader('Connection', 'close');
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.writeHead(400);
  res.end('400 Bad Request');
}

/** Streams have no deadline of this kind: they end by their own. */
function startDeadline(abort: AbortController, info: RequestInfo): NodeJS.Timeout | undefined {
  if (isLongRunning(info)) return undefined;
  const expire = () => abort.abort(timeout('request did not complete within the allotted timeout', {}));
  return setTimeout(expire, requestTimeoutMs(info.query)).unref();
}

/** Waits for the work, or throws why it was given up; the work itself ends unheard then. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
    work.catch(() => {});
  }
}

function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

function safeNegotiate(req: IncomingMessage, info: RequestInfo) {
  try {
    return negotiate(req.headers.accept, info.query, String(req.headers['user-agent'] ?? ''), {});
  } catch {
    return undefined;
  }
}

function toStatusError(error: unknown, signal: AbortSignal): StatusError {
  if (error instanceof StatusError) return error;
  if (signal.aborted && signal.reason instanceof StatusError) return signal.reason;
  return internalServerError(error instanceof Error ? error.message : String(error));
}
