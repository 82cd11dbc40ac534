import { apiVersionOf, type GroupVersionKind, type KubeObject } from '../../api/object.ts';
import { badRequest, methodNotAllowed, noSuchResource, notFoundError } from '../../api/status.ts';
import type { ServiceAccountTokens } from '../../auth/service-account-tokens.ts';
import { completeTokenRequest, handleTokenRequest } from '../../auth/token-request.ts';
import { cloneJson, isJsonObject, type JsonObject } from '../../util/json.ts';
import { mutate, validate } from '../admission/admission-chain.ts';
import { recordUpdate } from '../apply/managed-fields.ts';
import { bindPod, checkBinding, evictPod } from '../builtin/workloads/pod-subresources.ts';
import { structOfKind } from '../facts/facts.ts';
import type { ObjectTarget, WriteRequest } from '../request.ts';
import type { Resource, Subresource } from '../resource.ts';
import { mergeTypeOfStruct } from '../schema/builtin-merge-type.ts';
import { GoJsonError, undecodableBody } from '../schema/go-json-error.ts';
import { shapeObject } from '../schema/shape.ts';
import { decodeObject, placeInNamespace, type DecodedBody } from '../verbs/decode-object.ts';
import { wipeSystemFields } from '../verbs/system-fields.ts';
import { ownership, writeUpdate } from '../verbs/update.ts';
import { admissionRequest, optionsObject } from '../verbs/write-context.ts';
import { sendObject, successStatus } from './answer.ts';
import { negotiate } from './negotiate.ts';
import type { Kubelets } from './node-bound.ts';
import { readObjectBody, type RequestScope } from './request-scope.ts';
import { targetOf } from './resource-handler.ts';
import { parseWriteOptions } from './write-options.ts';

export interface SubresourceDeps {
  readonly tokens: ServiceAccountTokens;
  /** Who answers for the nodes; absent where there are none. */
  readonly kubelets?: Kubelets;
}

const podResource = { group: '', version: 'v1', resource: 'pods' };
/** Bodies that say with their uid which object they mean; of others the server forgets it. */
const keepsSystemFields = new Set(['token', 'binding']);

/** What comes with a POST that makes no object of its own: a token, an eviction, a binding. */
interface Posted {
  readonly target: ObjectTarget;
  readonly body: KubeObject;
  readonly request: WriteRequest;
  /** The last word of admission, once the body is complete. */
  admit(body: KubeObject): Promise<void>;
}

export async function serveCreated(
  scope: RequestScope,
  resource: Resource,
  subresource: Subresource,
  { tokens }: SubresourceDeps,
): Promise<void> {
  const negotiated = negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, {});
  const posted = await readPosted(scope, resource, subresource);
  switch (subresource.name) {
    case 'token':
      return sendObject(scope, 201, await issueToken(scope, posted, tokens), negotiated);
    case 'eviction':
      await evict(scope, posted);
      break;
    case 'binding':
      await bind(scope, posted);
      break;
    default:
      throw methodNotAllowed();
  }
  return sendObject(scope, 201, { ...successStatus(undefined), code: 201 }, negotiated);
}

/** The old way to bind a pod: POST to `bindings`, with the pod's name in the body. */
export async function serveBindings(scope: RequestScope, resource: Resource): Promise<void> {
  if (scope.info.verb !== 'create') throw methodNotAllowed();
  const negotiated = negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, {});
  const { group, version, kind } = resource;
  await bind(scope, await readPosted(scope, resource, { name: '', kind: { group, version, kind }, verbs: [] }));
  return sendObject(scope, 201, { ...successStatus(undefined), code: 201 }, negotiated);
}

async function readPosted(scope: RequestScope, resource: Resource, { name: subresource, kind }: Subresource): Promise<Posted> {
  const posted = postedResource(resource, kind);
  const bytes = await readObjectBody(scope, posted);
  const request = parseWriteOptions('CreateOptions', scope.info.query, scope.ctx);
  const body = decodeObject(posted, inServedVersion(bytes, kind), request);
  const { namespace, name } = targetOf(scope, resource);
  const target = { namespace, name: name === '' ? (body.metadata.name ?? '') : name };
  if (!keepsSystemFields.has(subresource)) wipeSystemFields(body.metadata);
  placeInNamespace(body, resource, target.namespace);
  recordUpdate({ ...ownership(scope.cluster, posted, subresource, request), live: undefined, next: body });
  const admission = admissionRequest(
    scope.cluster,
    {
      operation: 'CREATE',
      resource,
      subresource,
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
  return {
    target,
    body: admission.object ?? body,
    request,
    admit: async object => validate(scope.cluster.plugins, Object.assign(admission, { object })),
  };
}

/** Evictions may still come in the version in which they were first served. */
function inServedVersion(body: DecodedBody, kind: GroupVersionKind): DecodedBody {
  const { value } = body;
  if (kind.kind !== 'Eviction' || !isJsonObject(value) || value.apiVersion !== 'policy/v1beta1') return body;
  return { ...body, value: { ...value, apiVersion: apiVersionOf(kind) } };
}

const postedResources = new WeakMap<Resource, Map<string, Resource>>();

/** The kind of a body as if it were a resource, so that it is decoded and owned like one. */
function postedResource(resource: Resource, gvk: GroupVersionKind): Resource {
  let known = postedResources.get(resource);
  if (!known) postedResources.set(resource, (known = new Map()));
  const found = known.get(gvk.kind);
  if (found) return found;
  const struct = structOfKind(gvk);
  if (!struct) throw noSuchResource();
  const made: Resource = {
    ...resource,
    ...gvk,
    mergeType: mergeTypeOfStruct(struct),
    strategy: {},
    codec: {
      ...resource.codec,
      goType: struct,
      shape(body, problems) {
        try {
          const shaped = shapeObject(struct, body as unknown as JsonObject, problems) as unknown as KubeObject;
          return { ...shaped, kind: gvk.kind, apiVersion: apiVersionOf(gvk), metadata: shaped.metadata ?? {} };
        } catch (error) {
          if (error instanceof GoJsonError) throw undecodableBody(gvk.kind, gvk.version, error);
          throw error;
        }
      },
      setDefaults(obj) {
        if (gvk.kind === 'TokenRequest') (obj.spec as { expirationSeconds?: number | null }).expirationSeconds ??= 3600;
      },
    },
  };
  known.set(gvk.kind, made);
  return made;
}

async function issueToken(
  scope: RequestScope,
  { target, body, request, admit }: Posted,
  tokens: ServiceAccountTokens,
): Promise<KubeObject> {
  const { warn, auditAnnotation } = request;
  const ctx = { api: scope.cluster, tokens, ...target, now: scope.ctx.now, warn, auditAnnotation };
  const complete = completeTokenRequest(body, ctx);
  await admit(complete);
  return handleTokenRequest(complete, ctx);
}

async function evict(scope: RequestScope, { target, body, request, admit }: Posted): Promise<void> {
  if ((body.metadata.name ?? '') !== target.name) throw badRequest('name in URL does not match name in Eviction object');
  await admit(body);
  const pod = scope.cluster.peek(podResource, target.namespace, target.name);
  if (!pod) throw notFoundError(podResource, target.name);
  await evictPod(pod, body, { api: scope.cluster, now: scope.ctx.now, dryRun: request.dryRun });
}

async function bind(scope: RequestScope, { target, body, request, admit }: Posted): Promise<void> {
  if ((body.metadata.name ?? '') !== target.name) throw badRequest('name in URL does not match name in Binding object');
  checkBinding(body);
  await admit(body);
  const resource = scope.cluster.catalog.find(podResource)!;
  const transform = (live: KubeObject) => cloneJson(bindPod(live, body, { now: scope.ctx.now }));
  // Admission has judged the binding; the change of the pod that follows from it has no owner.
  const deps = { api: scope.cluster, store: scope.cluster.store, plugins: [] };
  await writeUpdate(deps, { resource, target, subresource: 'binding', transform }, request);
}
