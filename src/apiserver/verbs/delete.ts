import type { KubeObject } from '../../api/object.ts';
import { conflict, notFoundError } from '../../api/status.ts';
import type { Entry } from '../../store/entry.ts';
import { RevisionConflictError } from '../../store/store.ts';
import { cloneJson, jsonEqual } from '../../util/json.ts';
import { mutate, validate } from '../admission/admission-chain.ts';
import { customResourceCleanupFinalizer } from '../crd/cleanup-finalizer.ts';
import type { ObjectTarget, WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { deletionFinalizers, gracePeriod, hasNamespaceFinalizers, type DeletePolicy } from './delete-rules.ts';
import { storageError } from './storage-error.ts';
import { timestampOf } from './system-fields.ts';
import type { VerbDeps } from './verbs.ts';
import { admissionRequest, writeContext } from './write-context.ts';

export interface Deleted {
  /** The object as it was last, or as it waits for its finalizers. */
  readonly obj: KubeObject;
  /** False while finalizers or a grace period hold the object. */
  readonly gone: boolean;
}

/** DELETE of one object. */
export async function deleteObject(
  deps: VerbDeps,
  resource: Resource,
  target: ObjectTarget,
  policy: DeletePolicy,
  request: WriteRequest,
  options?: KubeObject,
): Promise<Deleted> {
  const key = { resource: resource.storeKey, namespace: target.namespace, name: target.name };
  const gr = { group: resource.group, resource: resource.resource };
  let admitted: Entry | undefined;
  for (;;) {
    request.signal.throwIfAborted();
    const head = deps.store.getHead(key);
    if (!head) throw notFoundError(gr, target.name);
    const live = await resource.codec.fromStorage(head.obj);
    if (admitted?.obj.metadata.uid !== head.obj.metadata.uid) {
      await admitDelete(deps, resource, target, live, request, options);
      admitted = head;
      if (deps.store.getHead(key) !== head) continue;
    }
    checkPreconditions(resource, target, policy, live);
    try {
      return await attemptDelete(deps, resource, head, live, policy, request);
    } catch (error) {
      if (!(error instanceof RevisionConflictError)) throw storageError(error);
    }
  }
}

async function admitDelete(
  deps: VerbDeps,
  resource: Resource,
  target: ObjectTarget,
  live: KubeObject,
  request: WriteRequest,
  options: KubeObject | undefined,
): Promise<void> {
  const admission = admissionRequest(
    deps.api,
    {
      operation: 'DELETE',
      resource,
      subresource: '',
      namespace: target.namespace,
      name: target.name,
      object: undefined,
      oldObject: live,
      ...(options && { options }),
    },
    request,
  );
  await mutate(deps.plugins, admission);
  await validate(deps.plugins, admission);
}

function checkPreconditions(resource: Resource, target: ObjectTarget, { preconditions }: DeletePolicy, live: KubeObject): void {
  const gr = { group: resource.group, resource: resource.resource };
  const { uid, resourceVersion } = live.metadata;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(gr, target.name, `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw conflict(
      gr,
      target.name,
      `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`,
    );
  }
}

async function attemptDelete(
  deps: VerbDeps,
  resource: Resource,
  head: Entry,
  live: KubeObject,
  policy: DeletePolicy,
  request: WriteRequest,
): Promise<Deleted> {
  const ctx = writeContext(deps.api, resource, '', request);
  const waiting = markDeleted(resource, live, policy, request.now, deps);
  if (request.dryRun) return { obj: waiting ?? live, gone: waiting === undefined };
  if (waiting === undefined) {
    resource.strategy.beforeCommit?.(undefined, live, ctx);
    const entry = await deps.store.write(keyOf(head), undefined, head);
    return { obj: resource.codec.isStorageVersion(entry.obj) ? entry.obj : live, gone: true };
  }
  if (jsonEqual(waiting, live)) return { obj: live, gone: false };
  const entry = await deps.store.write(keyOf(head), await resource.codec.toStorage(waiting), head);
  const { deletionGracePeriodSeconds, finalizers } = waiting.metadata;
  if ((deletionGracePeriodSeconds ?? 0) === 0 && (finalizers ?? []).length === 0 && !hasNamespaceFinalizers(resource, waiting)) {
    // A pod whose grace was cut to nothing: watchers see the change first, then the deletion.
    await deps.store.write(keyOf(head), undefined, entry);
    return { obj: await resource.codec.fromStorage(entry.obj), gone: true };
  }
  return { obj: await resource.codec.fromStorage(entry.obj), gone: false };
}

const keyOf = (entry: Entry) => ({ resource: entry.resource, namespace: entry.namespace, name: entry.name });

/** The object as it waits for its end, or undefined when it can go at once. */
function markDeleted(resource: Resource, live: KubeObject, policy: DeletePolicy, now: Date, deps: VerbDeps): KubeObject | undefined {
  const obj = cloneJson(live);
  const meta = obj.metadata;
  const grace = gracePeriod(resource, live, policy);
  let finalizers = deletionFinalizers(resource, meta, policy);
  if (needsCleanup(resource, live, deps)) finalizers = [...new Set([...finalizers, customResourceCleanupFinalizer])];
  const isWaiting = finalizers.length > 0 || hasNamespaceFinalizers(resource, live);
  // Pods always pass through a marked state, however short.
  if (!isWaiting && resource.storeKey !== '/pods') return undefined;

  if (finalizers.length > 0) meta.finalizers = finalizers;
  else delete meta.finalizers;
  if (meta.deletionTimestamp === undefined) {
    meta.deletionTimestamp = timestampOf(new Date(now.getTime() + grace * 1000));
    meta.deletionGracePeriodSeconds = grace;
    if (resource.strategy.hasGeneration && meta.generation !== undefined && meta.generation > 0) meta.generation++;
  } else if (grace < (meta.deletionGracePeriodSeconds ?? 0)) {
    // A later delete may shorten the grace, never lengthen it; it still counts from the first request.
    const firstAsked = Date.parse(meta.deletionTimestamp) - (meta.deletionGracePeriodSeconds ?? 0) * 1000;
    const end = grace === 0 ? now.getTime() : firstAsked + grace * 1000;
    meta.deletionTimestamp = timestampOf(new Date(end));
    meta.deletionGracePeriodSeconds = grace;
  }
  if (resource.storeKey === '/namespaces') obj.status = { ...(obj.status as object), phase: 'Terminating' };
  return obj;
}

/** A definition is held until its instances are gone. */
function needsCleanup(resource: Resource, live: KubeObject, deps: VerbDeps): boolean {
  if (resource.storeKey !== 'apiextensions.k8s.io/customresourcedefinitions') return false;
  if (live.metadata.deletionTimestamp !== undefined) return false;
  const conditions = (live.status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? [];
  const isEstablished = conditions.some(c => c.type === 'Established' && c.status === 'True');
  const spec = live.spec as { group: string; names: { plural: string } };
  return isEstablished || deps.store.count(`${spec.group}/${spec.names.plural}`) > 0;
}
