import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { badRequest, conflict, plainError, StatusError } from '../../api/status.ts';
import { goPrint } from '../../util/go-print.ts';
import { isJsonObject, printJson, type Json, type JsonObject } from '../../util/json.ts';
import { applyConfiguration, nameOf } from '../apply/apply-configuration.ts';
import { recordUpdate } from '../apply/managed-fields.ts';
import type { Patch } from '../cluster-api.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge.ts';
import type { ObjectTarget, WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { RestoreError, restoreStruct } from '../schema/restore-struct.ts';
import { BodyFault, goKind, readType } from './body-type.ts';
import { storeNew } from './create.ts';
import { checkCustomType, checkName, placeInNamespace, shapeBody, typedObject, type DecodedBody } from './decode-object.ts';
import { invalidPatch, reportPatchProblems, reportYamlProblems } from './field-validation.ts';
import { ownership, writeUpdate, type Updated } from './update.ts';
import type { VerbDeps } from './verbs.ts';
import { optionsObject } from './write-context.ts';

export interface PatchInput {
  readonly resource: Resource;
  readonly target: ObjectTarget;
  readonly subresource: string;
  readonly type: Patch['type'];
  /** Reads the body. A patch of an object that is not there is never read. */
  decode(request: WriteRequest): DecodedBody;
}

export function patchObject(deps: VerbDeps, input: PatchInput, request: WriteRequest): Promise<Updated> {
  return input.type === 'apply' ? applyObject(deps, input, request) : mergeObject(deps, input, request);
}

function mergeObject(deps: VerbDeps, input: PatchInput, request: WriteRequest): Promise<Updated> {
  const { resource, target, subresource, type } = input;
  let decoded: DecodedBody | undefined;
  const transform = (live: KubeObject): KubeObject => {
    decoded ??= input.decode(request);
    const doc = live as unknown as Json;
    const next =
      type === 'strategic'
        ? strategicallyPatched(resource, doc, decoded, request)
        : redecoded(resource, type === 'json' ? applyJsonPatch(doc, decoded.value) : applyMergePatch(doc, decoded.value), decoded, request);
    placeInNamespace(next, resource, target.namespace);
    checkName(next, target.name);
    recordUpdate({ ...ownership(deps, resource, subresource, request), live, next });
    return next;
  };
  return writeUpdate(deps, { resource, target, subresource, transform }, request);
}

/** A patched document is decoded again as if it had been sent; what does not fit is the patch's fault. */
function redecoded(resource: Resource, doc: Json, { problems }: DecodedBody, request: WriteRequest): KubeObject {
  const printed = () => printJson(doc);
  const found = [...problems];
  try {
    const typed = readType(resource, doc);
    if (resource.isCustom && typed.apiVersion !== apiVersionOf(resource)) reportPatchProblems(withoutSchema(typed.body), printed, request);
    if (resource.isCustom) checkCustomType(resource, typed, true);
    const obj = shapeBody(resource, typedObject(resource, typed.body), found);
    reportPatchProblems(found, printed, request);
    resource.codec.setDefaults(obj);
    return obj;
  } catch (error) {
    if (error instanceof BodyFault) throw invalidPatch(printed(), error.message);
    if (error instanceof StatusError && error.code === 400) throw invalidPatch(printed(), decodingFault(resource, error));
    throw error;
  }
}

/** A version that nobody defined knows no fields. */
function withoutSchema(body: JsonObject): string[] {
  const names = Object.keys(body).filter(name => !['apiVersion', 'kind', 'metadata'].includes(name));
  return names.map(name => `unknown field ${JSON.stringify(name)}`);
}

function decodingFault({ kind, version }: Resource, { message }: StatusError): string {
  const prefix = `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

/** A strategically patched document becomes an object without passing through JSON: its type is not looked at again. */
function strategicallyPatched(resource: Resource, live: Json, { value, problems }: DecodedBody, request: WriteRequest): KubeObject {
  const printed = () => goPrint(value ?? {});
  const doc = applyStrategicMergePatch(live, value ?? {}, resource.mergeType);
  try {
    const { obj, unknown } = restored(resource, doc);
    reportPatchProblems([...problems, ...unknown.sort()], printed, request);
    resource.codec.setDefaults(obj);
    return obj;
  } catch (error) {
    if (error instanceof RestoreError) throw invalidPatch(printed(), error.message);
    throw error;
  }
}

/** The decoder is quicker than the converter and agrees with it on all that is right. */
function restored(resource: Resource, doc: Json): { obj: KubeObject; unknown: string[] } {
  const unknown: string[] = [];
  const shape = (body: Json) => shapeBody(resource, typedObject(resource, isJsonObject(body) ? body : {}), unknown);
  try {
    return { obj: shape(doc), unknown };
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400 || !resource.codec.goType) throw error;
    unknown.length = 0;
    return { obj: shape(restoreStruct(resource.codec.goType, doc)), unknown };
  }
}

function applyObject(deps: VerbDeps, input: PatchInput, request: WriteRequest): Promise<Updated> {
  const { resource, target, subresource } = input;
  let decoded: DecodedBody | undefined;
  const merge = (live: KubeObject | undefined) => {
    decoded ??= input.decode(request);
    const applied = appliedObject(decoded.value);
    const merged = applyConfiguration({
      ...ownership(deps, resource, subresource, request),
      live,
      applied,
      manager: request.fieldManager,
      force: request.force,
      kind: resource.kind,
    });
    const next = converted(resource, merged);
    reportYamlProblems(decoded.problems, request);
    if (live === undefined && (next.metadata.uid ?? '') !== '') throw uidMismatch(resource, target, next.metadata.uid!);
    placeInNamespace(next, resource, target.namespace);
    checkName(next, target.name);
    return next;
  };
  const create = async () => {
    const rules = { options: optionsObject('CreateOptions', request) };
    return storeNew(deps, resource, target.namespace, merge(undefined), request, rules);
  };
  return writeUpdate(deps, { resource, target, subresource, transform: merge, ...(subresource === '' && { create }) }, request);
}

function appliedObject(value: Json): KubeObject {
  if (value !== null && !isJsonObject(value)) {
    const why = `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  return (value ?? {}) as unknown as KubeObject;
}

function converted(resource: Resource, merged: KubeObject): KubeObject {
  try {
    const obj = resource.isCustom ? withMetadata(resource, merged) : restored(resource, merged as unknown as Json).obj;
    resource.codec.setDefaults(obj);
    return obj;
  } catch (error) {
    if (!(error instanceof RestoreError)) throw error;
    const subject = nameOf(merged);
    const type = subject.slice(subject.indexOf('; ') + 2);
    throw plainError(
      `failed to convert new object (${subject}) to proper version: unable to convert unstructured object to ${type}: ${error.message}`,
    );
  }
}

/** What an apply made of a custom object is not decoded again: nulls in it meet validation. */
function withMetadata(resource: Resource, merged: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = merged;
  return { ...merged, ...resource.codec.shape({ apiVersion, kind, metadata }, []) };
}

function uidMismatch(resource: Resource, target: ObjectTarget, uid: string): StatusError {
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict({ group: resource.group, resource: resource.resource }, target.name, why);
}
