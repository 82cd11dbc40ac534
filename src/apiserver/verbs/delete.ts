import type { KubeObject } from '../../api/object.ts';
import { notFoundError } from '../../api/status.ts';
import type { Entry } from '../../store/entry.ts';
import { RevisionConflictError } from '../../store/store.ts';
import { jsonEqual } from '../../util/json.ts';
import { mutate, validate } from '../admission/admission-chain.ts';
import type { ObjectTarget, WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { checkDeletePreconditions, planDelete, type DeletePolicy } from './delete-rules.ts';
import { storageError } from './storage-error.ts';
import type { VerbDeps } from './verbs.ts';
import { admissionRequest, writeContext } from './write-context.ts';
import { noteWrite } from '../../util/trace.ts';

export interface Deleted {
  /** The object as it was last, or as it waits for its finalizers. */
  readonly obj: KubeObject;
  /** False while finalizers or a grace period hold the object. */
  readonly gone: boolean;
}

export interface DeleteInput {
  readonly resource: Resource;
  readonly target: ObjectTarget;
  readonly policy: DeletePolicy;
  /** DeleteOptions as webhooks see them. */
  readonly options?: KubeObject;
  /** The name admission hears, when it is another: one of many that go together has none. */
  readonly admittedName?: string;
}

/** DELETE of one object. */
export async function deleteObject(deps: VerbDeps, input: DeleteInput, request: WriteRequest): Promise<Deleted> {
  const { resource, target, policy } = input;
  const key = { resource: resource.storeKey, namespace: target.namespace, name: target.name };
  let admitted: Entry | undefined;
  let marked: Entry | undefined;
  for (;;) {
    request.signal.throwIfAborted();
    const head = deps.store.getHead(key);
    // Whoever changes what is marked to go at once removes it as well, and may be faster.
    if (marked && head?.obj.metadata.uid !== marked.obj.metadata.uid)
      return { obj: await resource.codec.fromStorage(marked.obj), gone: true };
    if (!head) throw notFoundError({ group: resource.group, resource: resource.resource }, target.name);
    const live = await resource.codec.fromStorage(head.obj);
    checkDeletePreconditions(resource, policy, live);
    const plan = planDelete(resource, live, policy, request.now);
    if (plan === 'pending') return { obj: live, gone: false };
    if (admitted?.obj.metadata.uid !== head.obj.metadata.uid) {
      await admitDelete(deps, input, live, request);
      admitted = head;
      if (deps.store.getHead(key) !== head) continue;
    }
    try {
      if (plan === 'now') return await remove(deps, input, head, live, request);
      if (request.dryRun) return { obj: plan.obj, gone: plan.goesAtOnce };
      if (!plan.goesAtOnce && jsonEqual(plan.obj, live)) return { obj: live, gone: false };
      marked = await mark(deps, resource, head, plan.obj);
      const waiting = await resource.codec.fromStorage(marked.obj);
      return plan.goesAtOnce ? await remove(deps, input, marked, waiting, request) : { obj: waiting, gone: false };
    } catch (error) {
      if (!(error instanceof RevisionConflictError)) throw storageError(error);
    }
  }
}

async function admitDelete(
  deps: VerbDeps,
  { resource, target, options, admittedName }: DeleteInput,
  live: KubeObject,
  request: WriteRequest,
): Promise<void> {
  const admission = admissionRequest(
    deps.api,
    {
      operation: 'DELETE',
      resource,
      subresource: '',
      namespace: target.namespace,
      name: admittedName ?? target.name,
      object: undefined,
      oldObject: live,
      ...(options && { options }),
    },
    request,
  );
  await mutate(deps.plugins, admission);
  await validate(deps.plugins, admission);
}

async function remove(deps: VerbDeps, { resource }: DeleteInput, head: Entry, live: KubeObject, request: WriteRequest): Promise<Deleted> {
  if (request.dryRun) return { obj: live, gone: true };
  resource.strategy.beforeCommit?.(undefined, live, writeContext(deps.api, resource, '', request));
  const entry = await deps.store.write(keyOf(head), undefined, head);
  noteWrite(entry.obj);
  await resource.strategy.afterDelete?.(live, writeContext(deps.api, resource, '', request));
  return { obj: await resource.codec.fromStorage(entry.obj), gone: true };
}

/** Writes down that an object is to go. One whose grace was cut to nothing goes right after: watchers see the change first. */
async function mark({ store }: VerbDeps, { codec }: Resource, head: Entry, obj: KubeObject): Promise<Entry> {
  const entry = await store.write(keyOf(head), await codec.toStorage(obj), head);
  noteWrite(entry.obj);
  return entry;
}

const keyOf = (entry: Entry) => ({ resource: entry.resource, namespace: entry.namespace, name: entry.name });
