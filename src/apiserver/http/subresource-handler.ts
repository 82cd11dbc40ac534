import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { badRequest, methodNotAllowed, noSuchResource, notFoundError, serviceUnavailable, StatusError } from '../../api/status.ts';
import { handleTokenRequest } from '../../auth/token-request.ts';
import type { ServiceAccountTokens } from '../../auth/service-account-tokens.ts';
import { cloneJson, type JsonObject } from '../../util/json.ts';
import { mutate, validate } from '../admission/admission-chain.ts';
import { recordUpdate } from '../apply/managed-fields.ts';
import { bindPod, evictPod, validateBinding } from '../builtin/workloads/pod-subresources.ts';
import { structOfKind } from '../facts/facts.ts';
import { bytesOf, objectOf } from '../representation.ts';
import type { Resource, Subresource } from '../resource.ts';
import { shapeObject } from '../schema/shape.ts';
import { invalidObject } from '../../api/status.ts';
import { ownership, writeUpdate } from '../verbs/update.ts';
import { admissionRequest, optionsObject } from '../verbs/write-context.ts';
import { sendBytes, sendObject, successStatus } from './answer.ts';
import { checkRoute, routeOf } from './check-route.ts';
import { negotiate } from './negotiate.ts';
import { readObjectBody, type RequestScope } from './request-scope.ts';
import { findEntry, servePatch, serveUpdate, targetOf } from './resource-handler.ts';
import { serveScale } from './scale-handler.ts';
import { parseWriteOptions } from './write-options.ts';

export interface SubresourceDeps {
  readonly tokens: ServiceAccountTokens;
}

/** Subresources whose GET, PUT and PATCH work on the object itself. */
const wholeObject = new Set(['status', 'approval', 'finalize', 'ephemeralcontainers', 'resize']);
/** What only a kubelet can answer. */
const nodeBound = new Set(['log', 'exec', 'attach', 'portforward', 'proxy']);

export async function serveSubresource(scope: RequestScope, resource: Resource, deps: SubresourceDeps): Promise<void> {
  const { subresource: name } = scope.info.resource!;
  const subresource = resource.subresources.find(s => s.name === name);
  if (!subresource) throw noSuchResource();
  const { verb } = scope.info;
  if (!nodeBound.has(name) && !subresource.verbs.includes(verb)) throw methodNotAllowed();
  if (!nodeBound.has(name) && !resource.isCustom) checkRoute(scope.req, routeOf(verb));
  if (name === 'scale') return serveScale(scope, resource);
  if (wholeObject.has(name)) return serveWholeObject(scope, resource, name);
  if (nodeBound.has(name)) return refuseNodeBound(scope, resource);
  if (verb !== 'create') throw methodNotAllowed();
  return serveCreated(scope, resource, subresource, deps);
}

async function serveWholeObject(scope: RequestScope, resource: Resource, name: string): Promise<void> {
  if (scope.info.verb === 'update') return serveUpdate(scope, resource, name);
  if (scope.info.verb === 'patch') return servePatch(scope, resource, name);
  const negotiated = negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, { forms: true });
  return sendBytes(scope, 200, await bytesOf(resource, await findEntry(scope, resource)), negotiated);
}

/** Logs, exec and proxies need the node on which a pod runs; this cluster has none of its own. */
async function refuseNodeBound(scope: RequestScope, resource: Resource): Promise<void> {
  const obj = await objectOf(resource, await findEntry(scope, resource));
  const nodeName = (obj.spec as { nodeName?: string } | undefined)?.nodeName ?? '';
  if (resource.storeKey === '/pods' && nodeName === '') {
    throw badRequest(`pod ${obj.metadata.name} does not have a host assigned`);
  }
  throw serviceUnavailable(`no node answers for ${resource.resource} ${JSON.stringify(obj.metadata.name)}`);
}

async function serveCreated(scope: RequestScope, resource: Resource, subresource: Subresource, deps: SubresourceDeps): Promise<void> {
  const negotiated = negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, {});
  const { kind } = subresource;
  const { value } = await readObjectBody(scope, { ...resource, group: kind.group, version: kind.version }, kind.kind);
  const struct = structOfKind(kind);
  if (!struct) throw noSuchResource();
  const body = shapeObject(struct, value as JsonObject, []) as unknown as KubeObject;
  body.metadata ??= {};
  body.kind = kind.kind;
  body.apiVersion = apiVersionOf(kind);
  const request = parseWriteOptions('CreateOptions', scope.info.query, scope.ctx);
  const target = targetOf(scope, resource);
  if ((body.metadata.name ?? '') === '') body.metadata.name = target.name;
  if (resource.namespaced && (body.metadata.namespace ?? '') === '') body.metadata.namespace = target.namespace;
  const admission = admissionRequest(
    scope.cluster,
    {
      operation: 'CREATE',
      resource,
      subresource: subresource.name,
      kind,
      namespace: target.namespace,
      name: target.name,
      object: body,
      oldObject: undefined,
      options: optionsObject('CreateOptions', request),
    },
    request,
  );
  await mutate(scope.cluster.plugins, admission);
  await validate(scope.cluster.plugins, admission);
  const admitted = admission.object ?? body;

  if (subresource.name === 'token') {
    const answer = handleTokenRequest(admitted, {
      api: scope.cluster,
      tokens: deps.tokens,
      ...target,
      now: scope.ctx.now,
      warn: request.warn,
      auditAnnotation: request.auditAnnotation,
    });
    return sendObject(scope, 201, answer, negotiated);
  }
  if (subresource.name === 'eviction') {
    const pod = scope.cluster.peek({ group: '', resource: 'pods' }, target.namespace, target.name);
    if (!pod) throw notFoundError({ group: '', resource: 'pods' }, target.name);
    await evictPod(pod, admitted, { api: scope.cluster, now: scope.ctx.now, dryRun: request.dryRun, user: scope.ctx.user });
    return sendObject(scope, 201, successStatus(undefined), negotiated);
  }
  if (subresource.name === 'binding') return serveBinding(scope, resource, admitted);
  throw new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** Also serves POST to `bindings`, which names the pod in its body. */
export async function serveBinding(scope: RequestScope, pods: Resource, binding: KubeObject): Promise<void> {
  const negotiated = negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, {});
  const request = parseWriteOptions('CreateOptions', scope.info.query, scope.ctx);
  const errors = validateBinding((binding as { target?: never }).target);
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'Binding' }, binding.metadata.name ?? '', errors);
  const target = { namespace: scope.info.resource!.namespace, name: scope.info.resource!.name || (binding.metadata.name ?? '') };
  const transform = (live: KubeObject) => {
    const next = cloneJson(bindPod(live, binding, { now: scope.ctx.now }));
    recordUpdate({ ...ownership(scope.cluster, pods, 'binding', request), live, next });
    return next;
  };
  await writeUpdate(scope.cluster, { resource: pods, target, subresource: 'binding', transform, kind: 'patch' }, request);
  return sendObject(scope, 201, successStatus(undefined), negotiated);
}
