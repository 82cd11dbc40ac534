import { createHash } from 'node:crypto';
import { methodNotAllowed, StatusError } from '../../api/status.ts';
import type { ServiceAccountTokens } from '../../auth/service-account-tokens.ts';
import { printJson, type JsonObject } from '../../util/json.ts';
import type { Aggregator } from '../aggregation/aggregator.ts';
import { mergeAggregatedDiscovery, mergeGroup, mergeGroupList } from '../aggregation/merge-discovery.ts';
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions } from '../discovery.ts';
import type { OpenApiDocument, OpenApiDocuments } from '../openapi/openapi-documents.ts';
import { serverVersion } from '../server-version.ts';
import { plainJson, send, sendObject, sendText } from './answer.ts';
import { checkRoute, discoveryRoute, versionRoute, type Route } from './check-route.ts';
import { serveHealth, type HealthChecks } from './health.ts';
import { negotiate, parseAccept } from './negotiate.ts';
import type { RequestScope } from './request-scope.ts';

export interface PathDeps {
  readonly tokens: ServiceAccountTokens;
  readonly openApi: OpenApiDocuments;
  readonly health: HealthChecks;
  readonly metrics: () => Promise<string>;
  /** The servers that stand behind some of the groups. */
  readonly aggregator: Aggregator;
}

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const swaggerProtobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
// No media type by the letter of the standard, and still what clients ask for; they cannot read it in an answer.
const askedSwaggerProtobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const keySetType = 'application/jwk-set+json';
const yearMs = 365 * 24 * 3600 * 1000;

/** Serves everything that is not a resource. Answers false when nobody knows the path. */
export async function servePath(scope: RequestScope, deps: PathDeps): Promise<boolean> {
  const path = scope.info.path.length > 1 ? scope.info.path.replace(/\/$/, '') : scope.info.path;
  const segments = path.slice(1).split('/');
  if (segments.includes('')) {
    if (path !== '/') return false;
    await sendObject(scope, 200, { paths: rootPaths(scope, deps.aggregator) }, { ...plainJson, isPretty: true });
    return true;
  }
  switch (segments[0]) {
    case 'healthz':
    case 'livez':
    case 'readyz':
      return serveHealth(scope, segments, deps.health);
    case 'version':
      if (segments.length > 1) return false;
      requireGet(scope, versionRoute);
      await sendPlain(scope, serverVersion);
      return true;
    case 'metrics':
      await sendText(scope, 200, await deps.metrics(), { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
      return true;
    case 'api':
    case 'apis':
      return serveDiscovery(scope, segments, deps.aggregator);
    case 'openapi':
      return serveOpenApi(scope, segments, deps);
    case '.well-known':
    case 'openid':
      return serveIssuer(scope, path, deps.tokens);
    default:
      return false;
  }
}

async function serveIssuer(scope: RequestScope, path: string, tokens: ServiceAccountTokens): Promise<boolean> {
  const isConfiguration = path === '/.well-known/openid-configuration';
  if (!isConfiguration && path !== '/openid/v1/jwks') return false;
  requireGet(scope, isConfiguration ? { produces: ['application/json'] } : { produces: [keySetType] });
  const keysUrl = `https://${scope.req.headers.host ?? 'localhost'}/openid/v1/jwks`;
  await sendText(scope, 200, isConfiguration ? tokens.openidConfiguration(keysUrl) : tokens.jwks(), {
    'Content-Type': isConfiguration ? 'application/json' : keySetType,
    'Cache-Control': 'public, max-age=3600',
  });
  return true;
}

/** Paths that the real server's router serves have a single method; the others do not look at it. */
function requireGet({ req }: RequestScope, route: Route): void {
  if (req.method !== 'GET') throw methodNotAllowed();
  checkRoute(req, route);
}

function sendPlain(scope: RequestScope, obj: object): Promise<void> {
  return sendObject(scope, 200, obj, negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, {}));
}

function rootPaths({ cluster }: RequestScope, aggregator: Aggregator): string[] {
  const paths = new Set([
    '/.well-known/openid-configuration',
    '/api',
    '/api/v1',
    '/apis',
    '/healthz',
    '/livez',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openid/v1/jwks',
    '/readyz',
    '/version',
  ]);
  for (const { group, version } of [...cluster.catalog.all(), ...aggregator.discoveryItems()]) {
    if (group === '') continue;
    paths.add(`/apis/${group}`);
    paths.add(`/apis/${group}/${version}`);
  }
  return [...paths].sort();
}

async function serveDiscovery(scope: RequestScope, segments: readonly string[], aggregator: Aggregator): Promise<boolean> {
  const remote = aggregator.discoveryItems();
  const resources = scope.cluster.catalog.all();
  const [root, group, version] = segments as ['api' | 'apis', string?, string?];
  if (group === undefined) {
    if (root === 'api') requireGet(scope, discoveryRoute);
    if (wantsAggregated(scope)) {
      await sendTagged(
        scope,
        aggregatedType,
        Buffer.from(printJson(mergeAggregatedDiscovery(aggregatedDiscovery(resources, root), root === 'api' ? [] : remote))),
      );
      return true;
    }
    await sendPlain(
      scope,
      root === 'api' ? apiVersions(resources, scope.req.headers.host ?? '') : mergeGroupList(apiGroupList(resources), remote),
    );
    return true;
  }
  let found: JsonObject | undefined;
  if (root === 'api' && version === undefined) found = apiResourceList(resources, { group: '', version: group });
  else if (root === 'apis' && version === undefined) found = mergeGroup(apiGroup(resources, group), group, remote);
  else if (root === 'apis' && segments.length === 3) found = apiResourceList(resources, { group, version: version! });
  if (!found) return false;
  if (root === 'api' || version !== undefined) {
    const isCustom = resources.every(r => r.isCustom || r.group !== group || r.version !== version);
    if (root === 'api' || !isCustom) requireGet(scope, discoveryRoute);
  }
  await sendPlain(scope, found);
  return true;
}

const isJson = (type: string, subtype: string) =>
  (type === 'application' && (subtype === 'json' || subtype === '*')) || (type === '*' && subtype === '*');

function wantsAggregated({ req }: RequestScope): boolean {
  for (const { type, subtype, parameters } of parseAccept(req.headers.accept ?? '')) {
    if (!isJson(type, subtype)) continue;
    if (parameters.as === 'APIGroupDiscoveryList') {
      if (parameters.g === 'apidiscovery.k8s.io' && parameters.v === 'v2') return true;
      continue;
    }
    if (parameters.as === undefined) return false;
  }
  return false;
}

/** Sends a document that clients keep: one whose tag they know already is not sent again. */
function sendTagged(
  scope: RequestScope,
  contentType: string,
  body: Buffer,
  hash = createHash('sha512').update(body).digest('hex').toUpperCase(),
): Promise<void> {
  const { req, res } = scope;
  res.setHeader('ETag', `"${hash}"`);
  res.setHeader('Vary', 'Accept');
  if (!res.hasHeader('Cache-Control') || contentType === aggregatedType) res.setHeader('Cache-Control', 'public');
  if ((req.headers['if-none-match'] ?? '').includes(hash)) {
    res.writeHead(304);
    res.end();
    return Promise.resolve();
  }
  return send(scope, 200, contentType, [body]);
}

async function serveOpenApi(scope: RequestScope, segments: readonly string[], { openApi, aggregator }: PathDeps): Promise<boolean> {
  if (segments[1] === 'v2' && segments.length === 2) {
    await serveSwagger(scope, openApi);
    return true;
  }
  if (segments[1] !== 'v3') return false;
  if (segments.length === 2) {
    await sendText(scope, 200, `${printJson(openApi.root())}\n`);
    return true;
  }
  const path = segments.slice(2).join('/');
  const proxy = segments.length === 5 ? aggregator.proxyFor(segments[3]!, segments[4]!) : undefined;
  if (proxy) {
    await proxy.handle(scope.req, scope.res, scope.ctx.user);
    return true;
  }
  const document = openApi.v3(path);
  if (!document) return false;
  await serveV3(scope, path, document);
  return true;
}

async function serveSwagger(scope: RequestScope, openApi: OpenApiDocuments): Promise<void> {
  for (const { type, subtype } of parseAccept(scope.req.headers.accept ?? '*/*')) {
    if ([swaggerProtobuf, askedSwaggerProtobuf].includes(`${type}/${subtype}`)) {
      const { body, hash } = openApi.v2Protobuf();
      return sendTagged(scope, swaggerProtobuf, body, hash);
    }
    if (isJson(type, subtype)) {
      const { body, hash } = openApi.v2();
      return sendTagged(scope, 'application/json', body, hash);
    }
  }
  throw new StatusError(406, 'NotAcceptable', `only the following media types are accepted: application/json, ${swaggerProtobuf}`);
}

function serveV3(scope: RequestScope, path: string, { body, hash }: OpenApiDocument): Promise<void> {
  const asked = scope.info.query.get('hash');
  if (asked !== null && asked !== hash) {
    scope.res.setHeader('Location', `/openapi/v3/${path}?hash=${hash}`);
    return sendText(scope, 301, '');
  }
  const { accept = '' } = scope.req.headers;
  if (/com\.github\.proto-openapi\.spec\.v3/.test(accept) && !/application\/json|\*\/\*/.test(accept)) {
    throw new StatusError(406, 'NotAcceptable', 'only the following media types are accepted: application/json');
  }
  if (asked !== null) {
    scope.res.setHeader('Cache-Control', 'public, immutable');
    scope.res.setHeader('Expires', new Date(Date.now() + yearMs).toUTCString());
  } else scope.res.setHeader('Cache-Control', 'no-cache, private');
  return sendTagged(scope, 'application/json', body, hash);
}
