import type { KubeObject } from '../../api/object.ts';
import { badRequest, StatusError } from '../../api/status.ts';
import { cloneJson, isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { applyConfiguration } from '../apply/apply-configuration.ts';
import { recordUpdate } from '../apply/managed-fields.ts';
import type { Patch } from '../cluster-api.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge.ts';
import type { ObjectTarget, WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { storeNew } from './create.ts';
import { checkName, checkNamespace, type DecodedBody } from './decode-object.ts';
import { invalidPatch, reportPatchProblems } from './field-validation.ts';
import { dropDuplicateOwners } from './system-fields.ts';
import { ownership, writeUpdate, type Updated } from './update.ts';
import type { VerbDeps } from './verbs.ts';
import { optionsObject } from './write-context.ts';

export interface PatchInput {
  readonly resource: Resource;
  readonly target: ObjectTarget;
  readonly subresource: string;
  readonly type: Patch['type'];
  readonly body: DecodedBody;
}

export function patchObject(deps: VerbDeps, input: PatchInput, request: WriteRequest): Promise<Updated> {
  return input.type === 'apply' ? applyObject(deps, input, request) : mergeObject(deps, input, request);
}

function mergeObject(deps: VerbDeps, input: PatchInput, request: WriteRequest): Promise<Updated> {
  const { resource, target, subresource } = input;
  const transform = (live: KubeObject): KubeObject => {
    const problems = [...input.body.problems];
    const next = reshape(resource, applyPatch(input, live), target.name, problems);
    reportPatchProblems(problems, resource, target.name, request);
    checkIdentity(resource, next, target);
    dropDuplicateOwners(next.metadata, text => request.warn(text));
    recordUpdate({ ...ownership(deps, resource, subresource, request), live, next });
    return next;
  };
  return writeUpdate(deps, { resource, target, subresource, transform, kind: 'patch' }, request);
}

function applyPatch({ resource, type, body }: PatchInput, live: KubeObject): Json {
  const doc = live as unknown as Json;
  if (type === 'json') return applyJsonPatch(doc, body.value);
  if (!isJsonObject(body.value))
    throw badRequest(`json: cannot unmarshal ${goKind(body.value)} into Go value of type map[string]interface {}`);
  if (type === 'merge') return applyMergePatch(doc, body.value);
  return applyStrategicMergePatch(doc, body.value, resource.mergeType);
}

const goKind = (value: Json) => (Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value);

/** A patched document must still be an object of its kind; what does not fit is the patch's fault. */
function reshape(resource: Resource, doc: Json, name: string, problems: string[]): KubeObject {
  if (!isJsonObject(doc)) throw invalidPatch(resource, name, 'the patched document is not an object');
  const body = { ...doc, metadata: (doc.metadata ?? {}) as JsonObject } as unknown as KubeObject;
  try {
    const obj = resource.codec.shape(body, problems);
    resource.codec.setDefaults(obj);
    return obj;
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) throw invalidPatch(resource, name, patchFault(error));
    throw error;
  }
}

function patchFault(error: StatusError): string {
  const marker = error.message.indexOf(': json: ');
  return marker < 0 ? error.message : error.message.slice(marker + 2);
}

function checkIdentity(resource: Resource, obj: KubeObject, target: ObjectTarget): void {
  if (obj.kind !== resource.kind || obj.metadata === undefined) {
    throw badRequest(`the object provided is unrecognized: kind must be ${resource.kind}`);
  }
  checkName(obj, target.name);
  if (resource.namespaced) checkNamespace(obj, target.namespace);
}

function applyObject(deps: VerbDeps, input: PatchInput, request: WriteRequest): Promise<Updated> {
  const { resource, target, subresource } = input;
  if (!isJsonObject(input.body.value)) {
    throw badRequest(
      `error decoding YAML: json: cannot unmarshal ${goKind(input.body.value)} into Go value of type map[string]interface {}`,
    );
  }
  const applied = cloneJson(input.body.value) as unknown as KubeObject;
  const merge = (live: KubeObject | undefined) => {
    const merged = applyConfiguration({
      ...ownership(deps, resource, subresource, request),
      live,
      applied,
      manager: request.fieldManager,
      force: request.force,
      kind: resource.kind,
    });
    const problems = [...input.body.problems];
    const next = reshape(resource, merged as unknown as Json, target.name, problems);
    reportPatchProblems(problems, resource, target.name, request);
    checkIdentity(resource, next, target);
    return next;
  };
  const create = async () => {
    const obj = merge(undefined);
    if (applied.metadata?.uid) {
      throw new StatusError(
        409,
        'Conflict',
        `uid mismatch: the provided object specified uid ${applied.metadata.uid}, and no existing object was found`,
      );
    }
    obj.metadata.name ??= target.name;
    if (resource.namespaced) obj.metadata.namespace = target.namespace;
    return storeNew(deps, resource, target.namespace, obj, request, optionsObject('PatchOptions', request));
  };
  return writeUpdate(
    deps,
    { resource, target, subresource, transform: merge, kind: 'apply', ...(subresource === '' && { create }) },
    request,
  );
}
