import { methodNotAllowed, notFoundError, noSuchResource } from '../../api/status.ts';
import type { Entry } from '../../store/entry.ts';
import { listBody } from '../list-body.ts';
import { bytesOf, isPlain, listObject, objectOf, oneObject, type ListMeta } from '../representation.ts';
import type { ObjectTarget } from '../request.ts';
import type { Resource } from '../resource.ts';
import { createObject, type Written } from '../verbs/create.ts';
import { checkName, decodeObject, placeInNamespace } from '../verbs/decode-object.ts';
import { deleteObject } from '../verbs/delete.ts';
import { listPage, parseListOptions, parseRevision, waitForRevision, type Page } from '../verbs/list.ts';
import { patchObject } from '../verbs/patch.ts';
import { parseSelection } from '../verbs/selection.ts';
import { checkStorageKey } from '../verbs/storage-key.ts';
import { updateObject } from '../verbs/update.ts';
import { sendBytes, sendObject, successStatus } from './answer.ts';
import { checkRoute, routeOf } from './check-route.ts';
import type { Negotiated } from './negotiate.ts';
import { negotiateFor } from './negotiate-for.ts';
import { decodePatch } from './patch-body.ts';
import { decodeBody, bodyMediaType, readBody } from './read-body.ts';
import { readObjectBody, type RequestScope } from './request-scope.ts';
import { sendList } from './send-list.ts';
import { serveWatch } from './serve-watch.ts';
import { decodeDeleteOptions, deleteOptionsType, parseDeleteOptions, parseWriteOptions } from './write-options.ts';

/** Serves the main endpoints of a resource. */
export function serveResource(scope: RequestScope, resource: Resource): Promise<void> {
  const { verb, namespace, name } = scope.info.resource!;
  checkScope(scope, resource, verb);
  if (!resource.verbs.includes(verb)) throw methodNotAllowed();
  if (name === '' && (verb === 'update' || verb === 'patch')) throw methodNotAllowed();
  if (!resource.isCustom) checkRoute(scope.req, routeOf(verb));
  switch (verb) {
    case 'create':
      return serveCreate(scope, resource, namespace);
    case 'get':
      return serveGet(scope, resource);
    case 'list':
      return serveList(scope, resource, namespace);
    case 'watch':
      return serveWatch(scope, resource, namespace);
    case 'update':
      return serveUpdate(scope, resource, '');
    case 'patch':
      return servePatch(scope, resource, '');
    case 'delete':
      return serveDelete(scope, resource);
    case 'deletecollection':
      return serveDeleteCollection(scope, resource, namespace);
    default:
      throw methodNotAllowed();
  }
}

/** A namespaced resource can be read in all namespaces but written only inside one; the path says which. */
function checkScope({ info }: RequestScope, resource: Resource, verb: string): void {
  const { namespace, name } = info.resource!;
  if (resource.resource === 'namespaces' && resource.group === '') return;
  if (!resource.namespaced && namespace !== '') throw noSuchResource();
  if (resource.namespaced && namespace === '' && verb !== 'list' && verb !== 'watch') {
    if (name !== '' && verb !== 'deletecollection') throw noSuchResource();
    throw methodNotAllowed();
  }
}

export function targetOf({ info }: RequestScope, resource: Resource): ObjectTarget {
  const { namespace, name } = info.resource!;
  const target = { namespace: resource.namespaced ? namespace : '', name };
  checkStorageKey(resource, target);
  return target;
}

async function serveCreate(scope: RequestScope, resource: Resource, namespace: string): Promise<void> {
  if (scope.info.resource!.name !== '') throw methodNotAllowed();
  const negotiated = negotiateFor(scope, resource);
  const body = await readObjectBody(scope, resource);
  const request = parseWriteOptions('CreateOptions', scope.info.query, scope.ctx);
  const obj = decodeObject(resource, body, request);
  // Also when it is refused; a generated name is known afterwards.
  scope.ctx.auditName?.(obj.metadata.name ?? '');
  const written = await createObject(scope.cluster, resource, resource.namespaced ? namespace : '', obj, request);
  scope.ctx.auditName?.(written.obj.metadata.name ?? '');
  return sendWritten(scope, 201, resource, written, negotiated);
}

/** Sends what was stored; the bytes are there already when the client wants the plain object. */
function sendWritten(
  scope: RequestScope,
  code: number,
  resource: Resource,
  { obj, entry }: Written,
  negotiated: Negotiated,
): Promise<void> {
  if (entry && negotiated.form.as === 'object' && isPlain(resource, entry)) return sendBytes(scope, code, entry.bytes, negotiated);
  return sendObject(scope, code, oneObject(resource, obj, negotiated.form, scope.ctx.now), negotiated);
}

async function serveGet(scope: RequestScope, resource: Resource): Promise<void> {
  const negotiated = negotiateFor(scope, resource);
  const entry = await findEntry(scope, resource);
  return sendEntry(scope, resource, entry, negotiated);
}

export async function findEntry(scope: RequestScope, resource: Resource): Promise<Entry> {
  const target = targetOf(scope, resource);
  const revision = parseRevision(scope.info.query.get('resourceVersion') ?? '');
  if (revision > scope.cluster.store.revision) await waitForRevision(scope.cluster.store, revision);
  const entry = scope.cluster.store.get({ resource: resource.storeKey, ...target });
  if (!entry) throw notFoundError({ group: resource.group, resource: resource.resource }, target.name);
  return entry;
}

async function sendEntry(scope: RequestScope, resource: Resource, entry: Entry, negotiated: Negotiated): Promise<void> {
  if (negotiated.form.as === 'object') return sendBytes(scope, 200, await bytesOf(resource, entry), negotiated);
  return sendObject(scope, 200, oneObject(resource, await objectOf(resource, entry), negotiated.form, scope.ctx.now), negotiated);
}

async function serveList(scope: RequestScope, resource: Resource, namespace: string): Promise<void> {
  const negotiated = negotiateFor(scope, resource);
  const selection = parseSelection(resource, namespace, scope.info.query);
  const page = await listPage(scope.cluster.store, resource, selection, parseListOptions(scope.info.query));
  const meta = listMetaOf(resource, page, negotiated);
  if (negotiated.form.as === 'object' && negotiated.encoding === 'json' && !negotiated.isPretty) {
    return sendList(scope, await listBody(resource, page.entries, meta));
  }
  return sendObject(scope, 200, await listObject(resource, page.entries, meta, negotiated.form, scope.ctx.now), negotiated);
}

function listMetaOf(resource: Resource, page: Page, { form }: Negotiated): ListMeta {
  return {
    // Custom resource lists print an empty continue token, as the real server does for its unstructured lists.
    ...(resource.isCustom && form.as === 'object' && { continue: '' }),
    resourceVersion: String(page.revision),
    ...(page.continueToken !== '' && { continue: page.continueToken }),
    ...(page.remaining !== undefined && { remainingItemCount: page.remaining }),
  };
}

export async function serveUpdate(scope: RequestScope, resource: Resource, subresource: string): Promise<void> {
  const negotiated = negotiateFor(scope, resource);
  const target = targetOf(scope, resource);
  const body = await readObjectBody(scope, resource);
  const request = parseWriteOptions('UpdateOptions', scope.info.query, scope.ctx);
  const obj = decodeObject(resource, body, request);
  placeInNamespace(obj, resource, target.namespace);
  checkName(obj, target.name);
  const updated = await updateObject(scope.cluster, resource, target, subresource, obj, request);
  return sendWritten(scope, updated.created ? 201 : 200, resource, updated, negotiated);
}

export async function servePatch(scope: RequestScope, resource: Resource, subresource: string): Promise<void> {
  const negotiated = negotiateFor(scope, resource);
  const { type, decode } = await decodePatch(scope, resource);
  const request = parseWriteOptions('PatchOptions', scope.info.query, scope.ctx, type === 'apply');
  const updated = await patchObject(scope.cluster, { resource, target: targetOf(scope, resource), subresource, type, decode }, request);
  return sendWritten(scope, updated.created ? 201 : 200, resource, updated, negotiated);
}

async function readDelete(scope: RequestScope) {
  const bytes = await readBody(scope.req);
  const type = bytes.length === 0 ? 'json' : bodyMediaType(scope.req.headers['content-type']);
  const body = bytes.length === 0 ? undefined : decodeDeleteOptions(decodeBody(bytes, type, deleteOptionsType).value);
  return parseDeleteOptions(body, scope.info.query, scope.ctx);
}

async function serveDelete(scope: RequestScope, resource: Resource): Promise<void> {
  const negotiated = negotiateFor(scope, resource);
  const { policy, request, options } = await readDelete(scope);
  warnAboutOrphans(resource, policy, request.warn);
  const target = targetOf(scope, resource);
  const deleted = await deleteObject(scope.cluster, { resource, target, policy, options }, request);
  if (!deleted.gone || resource.strategy.returnsDeletedObject) {
    const code = !deleted.gone && policy.orphanDependents === false ? 202 : 200;
    return sendObject(scope, code, oneObject(resource, deleted.obj, negotiated.form, scope.ctx.now), negotiated);
  }
  const status = successStatus({
    name: target.name,
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.resource,
    ...(deleted.obj.metadata.uid !== undefined && { uid: deleted.obj.metadata.uid }),
  });
  return sendObject(scope, 200, status, { ...negotiated, form: { as: 'object' } });
}

function warnAboutOrphans(
  resource: Resource,
  policy: { propagationPolicy?: string; orphanDependents?: boolean },
  warn: (text: string) => void,
): void {
  if (resource.storeKey !== 'batch/jobs' || policy.propagationPolicy !== undefined || policy.orphanDependents !== undefined) return;
  warn(
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  );
}

async function serveDeleteCollection(scope: RequestScope, resource: Resource, namespace: string): Promise<void> {
  const negotiated = negotiateFor(scope, resource);
  const listOptions = parseListOptions(scope.info.query);
  const selection = parseSelection(resource, namespace, scope.info.query);
  const { policy, request, options } = await readDelete(scope);
  warnAboutOrphans(resource, policy, request.warn);
  const page = await listPage(scope.cluster.store, resource, selection, listOptions);
  for (const entry of page.entries) {
    try {
      const target = { namespace: entry.namespace, name: entry.name };
      await deleteObject(scope.cluster, { resource, target, policy, options, admittedName: '' }, request);
    } catch (error) {
      if ((error as { reason?: string }).reason !== 'NotFound') throw error;
    }
  }
  const meta = listMetaOf(resource, page, negotiated);
  const list = await listObject(resource, page.entries, meta, negotiated.form, scope.ctx.now);
  return sendObject(scope, 200, list, negotiated);
}
