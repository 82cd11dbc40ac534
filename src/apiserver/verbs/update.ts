import { invalid, type FieldError } from '../../api/field-error.ts';
import { apiVersionOf, type GroupVersionKind, type KubeObject } from '../../api/object.ts';
import { conflict, invalidObject, modifiedConflict, notFoundError, plainError, StatusError } from '../../api/status.ts';
import type { Entry } from '../../store/entry.ts';
import { RevisionConflictError, type ObjectKey, type Store } from '../../store/store.ts';
import { cloneJson, jsonEqual } from '../../util/json.ts';
import { mutate, validate } from '../admission/admission-chain.ts';
import { keepTimesIfUnchanged } from '../apply/check-managed-fields.ts';
import { recordUpdate } from '../apply/managed-fields.ts';
import { managerOf, type ObjectTarget, type WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { createObject, incomplete, storedKind, type Written } from './create.ts';
import { isReadyToGo } from './delete-rules.ts';
import { metaErrorsOnUpdate } from './meta-checks.ts';
import { emptyOf, mergeTypes } from './ownership.ts';
import { storageError } from './storage-error.ts';
import { storageKey } from './storage-key.ts';
import { dropDuplicateOwners, keepSystemFields, raiseGeneration } from './system-fields.ts';
import { updateRules } from './update-rules.ts';
import type { VerbDeps } from './verbs.ts';
import { admissionRequest, optionsObject, writeContext } from './write-context.ts';
import { noteWrite } from '../../util/trace.ts';

const wholeNumber = /^(0|[1-9][0-9]*)$/;
/** A writer that keeps losing races gives up after this many, as the real server does after its deadline. */
const maxAttempts = 200;

export interface UpdateInput {
  readonly resource: Resource;
  readonly target: ObjectTarget;
  readonly subresource: string;
  /** Makes the new object from the live one. May run again when somebody else was quicker; must not change `live`. */
  transform(live: KubeObject): KubeObject | Promise<KubeObject>;
  /** The uid that the live object must have. */
  readonly uid?: string | undefined;
  /** Shows an object as those see it who admit the change; `transform` has asked them already whether they change it. */
  readonly admitAs?: { readonly kind: GroupVersionKind; view(obj: KubeObject): KubeObject };
  /** Makes the object when there is none. Without it the answer is 404. */
  create?(): Promise<Written>;
}

export interface Updated extends Written {
  readonly created?: boolean;
  /** The update took away the last finalizer of an object that was being deleted. */
  readonly deleted?: boolean;
}

/** PUT: replaces an object. */
export function updateObject(
  deps: VerbDeps,
  resource: Resource,
  target: ObjectTarget,
  subresource: string,
  body: KubeObject,
  request: WriteRequest,
): Promise<Updated> {
  const recordOwnership = (live: KubeObject) => {
    const next = cloneJson(body);
    if (resource.namespaced) next.metadata.namespace = target.namespace;
    dropDuplicateOwners(next.metadata, text => request.warn(text));
    recordUpdate({ ...ownership(deps, resource, subresource, request), live, next });
    return next;
  };
  const create = async () => createObject(deps, resource, target.namespace, cloneJson(body), request, false);
  return writeUpdate(
    deps,
    {
      resource,
      target,
      subresource,
      transform: recordOwnership,
      uid: body.metadata.uid,
      ...(resource.strategy.allowCreateOnUpdate && subresource === '' && { create }),
    },
    request,
  );
}

export function ownership(deps: VerbDeps, resource: Resource, subresource: string, request: WriteRequest) {
  return {
    manager: managerOf(request),
    apiVersion: apiVersionOf(resource),
    mergeTypeOf: mergeTypes(deps.api, resource),
    subresource,
    ...(resource.strategy.resetFields && { resetFields: resource.strategy.resetFields }),
    now: request.now,
    ...emptyOf(resource),
  };
}

/** Read, change, admit, check, store; and once more when somebody else was quicker and the caller did not insist on a version. */
export async function writeUpdate(deps: VerbDeps, input: UpdateInput, request: WriteRequest): Promise<Updated> {
  const { resource, target } = input;
  const key = { resource: resource.storeKey, namespace: target.namespace, name: target.name };
  const gr = { group: resource.group, resource: resource.resource };
  for (let attempt = 1; ; attempt++) {
    request.signal.throwIfAborted();
    const head = deps.store.getHead(key);
    if (!head) {
      if (!input.create) throw notFoundError(gr, target.name);
      try {
        return { ...(await input.create()), created: true };
      } catch (error) {
        if (error instanceof StatusError && error.reason === 'AlreadyExists' && attempt < maxAttempts) continue;
        throw error;
      }
    }
    try {
      return await attemptUpdate(deps, input, head, request);
    } catch (error) {
      if (!(error instanceof RevisionConflictError)) throw storageError(error);
      if (attempt >= maxAttempts) throw modifiedConflict(gr, target.name);
    }
  }
}

async function attemptUpdate(deps: VerbDeps, input: UpdateInput, head: Entry, request: WriteRequest): Promise<Updated> {
  const { resource, target, subresource } = input;
  const { strategy, codec } = resource;
  const converted = codec.fromStorage(head.obj);
  const live = converted instanceof Promise ? await converted : converted;
  checkUid(input, live);
  const transformed = input.transform(live);
  let next = transformed instanceof Promise ? await transformed : transformed;

  const admission = admissionRequest(
    deps.api,
    {
      operation: 'UPDATE',
      resource,
      subresource,
      namespace: target.namespace,
      name: target.name,
      object: next,
      oldObject: live,
      ...(input.admitAs && { kind: input.admitAs.kind }),
      options: optionsObject('UpdateOptions', request),
    },
    request,
  );
  const mutating = input.admitAs ? undefined : mutate(deps.plugins, admission);
  if (mutating) await mutating;
  next = admission.object ?? next;
  dropDuplicateOwners(next.metadata, text => request.warn(text), ' after mutating admission happens');
  checkVersion(input, next, head);

  const ctx = writeContext(deps.api, resource, subresource, request);
  const rules = updateRules(resource, subresource);
  keepSystemFields(next.metadata, live.metadata);
  next.metadata.resourceVersion = live.metadata.resourceVersion!;
  rules.prepare(next, live, ctx);
  keepSystemFields(next.metadata, live.metadata);
  if (rules.raisesGeneration) raiseGeneration(next, live, resource);
  keepTimesIfUnchanged(live, next);

  const errors: FieldError[] = [
    ...metaErrorsOnUpdate(resource, subresource, next.metadata, live.metadata),
    ...rules.validate(next, live, ctx),
  ];
  if (errors.length > 0) throw invalidObject(storedKind(resource), target.name, errors);
  if (subresource === '' || subresource === 'status')
    for (const warning of strategy.warningsOnUpdate?.(next, live, ctx) ?? []) request.warn(warning);
  const shown = input.admitAs ? { object: input.admitAs.view(next), oldObject: input.admitAs.view(live) } : { object: next };
  const validating = validate(deps.plugins, Object.assign(admission, shown));
  if (validating) await validating;

  if (request.dryRun) return { obj: next };
  if (codec.settle?.(next)) keepTimesIfUnchanged(live, next);
  const key = { resource: resource.storeKey, namespace: target.namespace, name: target.name };
  if (jsonEqual(next, live) && !incomplete.has(head) && jsonEqual(await codec.toStorage(next), head.obj)) {
    await untilCommitted(deps.store, key, head);
    return { obj: live, entry: head };
  }
  if (isReadyToGo(resource, next)) {
    strategy.beforeCommit?.(undefined, live, ctx);
    await deps.store.write(key, undefined, head);
    await strategy.afterDelete?.(live, ctx);
    return { obj: next, deleted: true };
  }
  const back = codec.toStorage(next);
  const stored = back instanceof Promise ? await back : back;
  strategy.beforeCommit?.(stored, head.obj, ctx);
  const entry = await deps.store.write(key, stored, head);
  noteWrite(entry.obj);
  if (stored !== next) return { obj: await codec.fromStorage(entry.obj), entry };
  // Whoever reads it next would look at all of it; here is known what it has in common with the one before.
  if (resource.isCustom) void codec.fromStorage(entry.obj, live);
  return { obj: entry.obj, entry };
}

/** What is to be as it is already may still be on its way: nobody may hear of it before it is safe, and readers see it. */
async function untilCommitted(store: Store, key: ObjectKey, { revision }: Entry): Promise<void> {
  await store.settled(key, revision);
  if ((store.get(key)?.revision ?? -1) < revision) throw new RevisionConflictError(`"${key.namespace}/${key.name}" was not stored`);
}

function checkUid({ resource, target, uid = '' }: UpdateInput, live: KubeObject): void {
  if (uid === '' || uid === live.metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
  const key = storageKey(resource, target);
  throw conflict(
    { group: resource.group, resource: resource.resource },
    target.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  );
}

function checkVersion({ resource, target }: UpdateInput, next: KubeObject, head: Entry): void {
  const gr = { group: resource.group, resource: resource.resource };
  const version = next.metadata.resourceVersion ?? '';
  if (version === '' || version === '0') {
    const mayOverwrite = resource.strategy.allowUnconditionalUpdate ?? !resource.isCustom;
    if (!mayOverwrite) {
      throw invalidObject({ group: resource.group, kind: resource.resource }, target.name, [
        invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    return;
  }
  if (!wholeNumber.test(version)) throw plainError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  if (version !== String(head.revision)) throw modifiedConflict(gr, target.name);
}
