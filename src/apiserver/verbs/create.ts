import type { FieldError } from '../../api/field-error.ts';
import { apiVersionOf, type GroupResource, type KubeObject } from '../../api/object.ts';
import { alreadyExists, invalidObject, plainError, StatusError } from '../../api/status.ts';
import type { Entry } from '../../store/entry.ts';
import { RevisionConflictError, type ObjectKey, type Store } from '../../store/store.ts';
import { mutate, validate } from '../admission/admission-chain.ts';
import { recordUpdate } from '../apply/managed-fields.ts';
import { managerOf, type WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { metaErrorsOnCreate } from './meta-checks.ts';
import { placeInNamespace } from './decode-object.ts';
import { emptyOf, mergeTypes } from './ownership.ts';
import { storageError } from './storage-error.ts';
import { dropDuplicateOwners, fillSystemFields, generateName, wipeSystemFields } from './system-fields.ts';
import type { VerbDeps } from './verbs.ts';
import { admissionRequest, optionsObject, writeContext } from './write-context.ts';
import { noteWrite } from '../../util/trace.ts';

const maxNameAttempts = 8;
/** Entries of kinds that are completed on read, as they were created. */
export const incomplete = new WeakSet<Entry>();

/** An object that is stored, or that a dry run would have stored, in the version of the request. */
export interface Written {
  readonly obj: KubeObject;
  /** Absent on a dry run. */
  readonly entry?: Entry;
}

/** Creates a decoded object: it has its shape and its defaults. */
export async function createObject(
  deps: VerbDeps,
  resource: Resource,
  namespace: string,
  body: KubeObject,
  request: WriteRequest,
  isPost = true,
): Promise<Written> {
  if (isPost) wipeSystemFields(body.metadata);
  placeInNamespace(body, resource, namespace);
  dropDuplicateOwners(body.metadata, text => request.warn(text));
  recordUpdate({
    live: undefined,
    next: body,
    manager: managerOf(request),
    apiVersion: apiVersionOf(resource),
    mergeTypeOf: mergeTypes(deps.api, resource),
    subresource: '',
    ...(resource.strategy.resetFields && { resetFields: resource.strategy.resetFields }),
    now: request.now,
    ...emptyOf(resource),
  });
  return storeNew(deps, resource, namespace, body, request, { options: optionsObject('CreateOptions', request), refusesVersion: isPost });
}

export interface NewObjectRules {
  readonly options: KubeObject;
  /** Only a POST minds a resource version: other verbs create what they did not find. */
  readonly refusesVersion?: boolean;
}

/** The part of creation that apply and update-as-create share: ownership is recorded already. */
export async function storeNew(
  deps: VerbDeps,
  resource: Resource,
  namespace: string,
  body: KubeObject,
  request: WriteRequest,
  { options, refusesVersion = false }: NewObjectRules,
): Promise<Written> {
  const admission = admissionRequest(
    deps.api,
    {
      operation: 'CREATE',
      resource,
      subresource: '',
      namespace,
      name: body.metadata.name ?? '',
      object: body,
      oldObject: undefined,
      options,
    },
    request,
  );
  const mutating = mutate(deps.plugins, admission);
  if (mutating) await mutating;
  const obj = admission.object ?? body;
  if (resource.namespaced) obj.metadata.namespace = namespace;
  else delete obj.metadata.namespace;
  dropDuplicateOwners(obj.metadata, text => request.warn(text), ' after mutating admission happens');

  const { strategy } = resource;
  const ctx = writeContext(deps.api, resource, '', request);
  const prefix = (obj.metadata.name ?? '') === '' ? obj.metadata.generateName : undefined;
  const version = obj.metadata.resourceVersion ?? '';
  delete obj.metadata.resourceVersion;
  fillSystemFields(obj.metadata, request.now);
  strategy.prepareForCreate?.(obj, ctx);
  if (strategy.hasGeneration) obj.metadata.generation = 1;

  for (let attempt = 1; ; attempt++) {
    if (prefix !== undefined && prefix !== '') obj.metadata.name = generateName(prefix);
    check(resource, obj, [...metaErrorsOnCreate(resource, obj.metadata), ...(strategy.validate?.(obj, ctx) ?? [])]);
    for (const warning of strategy.warningsOnCreate?.(obj, ctx) ?? []) request.warn(warning);
    if (!refusesVersion) request.authorizeCreate?.();
    const validating = validate(deps.plugins, Object.assign(admission, { object: obj, name: obj.metadata.name }));
    if (validating) await validating;
    if (refusesVersion && isVersion(version)) throw plainError('resourceVersion should not be set on objects to be created');

    const name = obj.metadata.name!;
    const key = { resource: resource.storeKey, namespace: resource.namespaced ? namespace : '', name };
    const gr = { group: resource.group, resource: resource.resource };
    if (deps.store.getHead(key) !== undefined) {
      if (prefix === undefined || attempt >= maxNameAttempts) await refuseExisting(deps.store, key, gr);
      continue;
    }
    if (request.dryRun) {
      strategy.beforeCommit?.(obj, undefined, ctx);
      return { obj };
    }
    resource.codec.settle?.(obj);
    const converted = resource.codec.toStorage(obj);
    const stored = converted instanceof Promise ? await converted : converted;
    try {
      strategy.beforeCommit?.(stored, undefined, ctx);
      const entry = await deps.store.write(key, stored, undefined);
      noteWrite(entry.obj);
      if (strategy.isCompletedOnRead) incomplete.add(entry);
      return { obj: stored === obj ? entry.obj : await resource.codec.fromStorage(entry.obj), entry };
    } catch (error) {
      if (!(error instanceof RevisionConflictError)) throw storageError(error);
      if (prefix === undefined || attempt >= maxNameAttempts) await refuseExisting(deps.store, key, gr);
    }
  }
}

/** Whoever hears that an object exists must be able to read it, so one that is still being written is waited for. Returns when that failed. */
async function refuseExisting(store: Store, key: ObjectKey, gr: GroupResource): Promise<void> {
  await store.settled(key);
  const entry = store.getHead(key);
  if (!entry) return;
  const error = alreadyExists(gr, key.name);
  if (entry.obj.metadata.deletionTimestamp === undefined) throw error;
  throw new StatusError(error.code, error.reason, `object is being deleted: ${error.message}`, error.details);
}

/** What is no number is ignored, as the real server does. */
const isVersion = (text: string) => /^[0-9]+$/.test(text) && Number(text) !== 0;

/** What refusals call a kind: events of both groups are one kind, that of the group they are stored in. */
export function storedKind({ kind, storeKey }: Resource): { group: string; kind: string } {
  return { group: storeKey.slice(0, storeKey.lastIndexOf('/')), kind };
}

function check(resource: Resource, obj: KubeObject, errors: FieldError[]): void {
  if (errors.length > 0) throw invalidObject(storedKind(resource), obj.metadata.name ?? '', errors);
}
