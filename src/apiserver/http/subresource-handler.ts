import { methodNotAllowed, noSuchResource, notFoundError } from '../../api/status.ts';
import { bytesOf } from '../representation.ts';
import type { Resource } from '../resource.ts';
import { sendBytes } from './answer.ts';
import { checkRoute, routeOf } from './check-route.ts';
import { serveCreated, type SubresourceDeps } from './created-subresources.ts';
import { negotiateFor } from './negotiate-for.ts';
import { nodeBound, serveNodeBound } from './node-bound.ts';
import type { RequestScope } from './request-scope.ts';
import { findEntry, servePatch, serveUpdate } from './resource-handler.ts';
import { serveScale } from './scale-handler.ts';

/** Subresources whose GET, PUT and PATCH work on the object itself. */
const wholeObject = new Set(['status', 'approval', 'finalize', 'ephemeralcontainers', 'resize']);

export async function serveSubresource(scope: RequestScope, resource: Resource, deps: SubresourceDeps): Promise<void> {
  const { subresource: name } = scope.info.resource!;
  const subresource = resource.subresources.find(s => s.name === name);
  if (!subresource) throw resource.isCustom ? notFoundError(resource, scope.info.resource!.name) : noSuchResource();
  const { verb } = scope.info;
  if (!nodeBound.has(name) && !subresource.verbs.includes(verb)) throw methodNotAllowed();
  if (!nodeBound.has(name) && !resource.isCustom) checkRoute(scope.req, routeOf(verb));
  if (name === 'scale') return serveScale(scope, resource);
  if (wholeObject.has(name)) return serveWholeObject(scope, resource, name);
  if (nodeBound.has(name)) return serveNodeBound(scope, resource, name, deps.kubelets);
  if (verb !== 'create') throw methodNotAllowed();
  return serveCreated(scope, resource, subresource, deps);
}

async function serveWholeObject(scope: RequestScope, resource: Resource, name: string): Promise<void> {
  if (scope.info.verb === 'update') return serveUpdate(scope, resource, name);
  if (scope.info.verb === 'patch') return servePatch(scope, resource, name);
  const negotiated = negotiateFor(scope, resource);
  return sendBytes(scope, 200, await bytesOf(resource, await findEntry(scope, resource)), negotiated);
}
