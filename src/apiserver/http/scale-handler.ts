import type { KubeObject } from '../../api/object.ts';
import { invalid } from '../../api/field-error.ts';
import { invalidObject, methodNotAllowed } from '../../api/status.ts';
import { cloneJson, printJson, type Json, type JsonObject } from '../../util/json.ts';
import { mutate } from '../admission/admission-chain.ts';
import type { Patch } from '../cluster-api.ts';
import { applyConfiguration } from '../apply/apply-configuration.ts';
import { recordUpdate } from '../apply/managed-fields.ts';
import { toParentEntries, toScaleEntries, type ReplicasPaths } from '../apply/scale-fields.ts';
import * as workloads from '../builtin/workloads/scale.ts';
import { isCustomResource } from '../crd/custom-resources.ts';
import * as custom from '../crd/scale.ts';
import { structOfKind } from '../facts/facts.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge.ts';
import { objectOf } from '../representation.ts';
import { managerOf, type ObjectTarget, type WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { GoJsonError, undecodableBody } from '../schema/go-json-error.ts';
import { mergeTypeOfStruct } from '../schema/builtin-merge-type.ts';
import { shapeObject } from '../schema/shape.ts';
import { apiVersionOf } from '../../api/object.ts';
import { checkName, placeInNamespace, type DecodedBody } from '../verbs/decode-object.ts';
import { writeUpdate } from '../verbs/update.ts';
import { admissionRequest, optionsObject } from '../verbs/write-context.ts';
import { sendObject } from './answer.ts';
import { negotiate } from './negotiate.ts';
import { decodePatch } from './patch-body.ts';
import { readObjectBody, type RequestScope } from './request-scope.ts';
import { findEntry, targetOf } from './resource-handler.ts';
import { parseWriteOptions } from './write-options.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The two ways to see replicas: built-in workloads know their field, custom resources name theirs. */
interface Scaling {
  scaleOf(obj: KubeObject): KubeObject;
  /** As an update starts from it. */
  scaleToChange(obj: KubeObject): KubeObject;
  check(scale: KubeObject): void;
  withScale(obj: KubeObject, scale: KubeObject): KubeObject;
  readonly paths: ReplicasPaths;
}

function scalingOf(resource: Resource): Scaling {
  if (isCustomResource(resource) && resource.scale) {
    const { scale } = resource;
    return {
      scaleOf: obj => custom.scaleOf(obj, scale),
      scaleToChange: obj => custom.scaleToChange(obj, scale),
      check: value => custom.checkScale(value, scale),
      withScale: (obj, value) => custom.withScale(obj, value, scale),
      paths: resource.replicasPaths,
    };
  }
  return {
    scaleOf: workloads.scaleOf,
    scaleToChange: workloads.scaleOf,
    check(scale) {
      const errors = workloads.validateScale(scale);
      if (errors.length > 0) throw invalidObject(scaleKind, scale.metadata.name ?? '', errors);
    },
    withScale: workloads.withReplicas,
    paths: { [apiVersionOf(resource)]: workloads.replicasPath },
  };
}

export async function serveScale(scope: RequestScope, resource: Resource): Promise<void> {
  const scaling = scalingOf(resource);
  const negotiated = negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, { forms: true });
  const { verb } = scope.info;
  if (verb === 'get') {
    return sendObject(scope, 200, scaling.scaleOf(await objectOf(resource, await findEntry(scope, resource))), negotiated);
  }
  if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed();
  const target = targetOf(scope, resource);
  const change = verb === 'update' ? await readScale(scope, resource, target) : await readScalePatch(scope, resource, target);
  const { request } = change;
  const owner = { manager: managerOf(request), subresource: 'scale', now: request.now, ...scaleType() };

  const transform = async (live: KubeObject) => {
    const scale = scaling.scaleToChange(live);
    const entries = toScaleEntries(live.metadata.managedFields, scaling.paths);
    if (entries) scale.metadata.managedFields = entries;
    const wanted = await admit(scale, change.apply(scale, owner));
    scaling.check(wanted);
    const next = cloneJson(scaling.withScale(live, wanted));
    const owned = toParentEntries(live.metadata.managedFields, wanted.metadata.managedFields, apiVersionOf(resource), scaling.paths);
    if (owned) next.metadata.managedFields = owned;
    return next;
  };
  const admit = async (oldObject: KubeObject, object: KubeObject) => {
    const input = { operation: 'UPDATE', resource, subresource: 'scale', kind: scaleKind, ...target, object, oldObject } as const;
    const admission = admissionRequest(scope.cluster, { ...input, options: optionsObject('UpdateOptions', request) }, request);
    await mutate(scope.cluster.plugins, admission);
    return admission.object ?? object;
  };
  const updated = await writeUpdate(
    scope.cluster,
    {
      resource,
      target,
      subresource: 'scale',
      transform,
      uid: change.uid,
      admitAs: { kind: scaleKind, view: obj => scaling.scaleOf(obj) },
    },
    request,
  );
  return sendObject(scope, 200, scaling.scaleOf(updated.obj), negotiated);
}

type Owner = ReturnType<typeof scaleType> & { manager: string; subresource: string; now: Date };

function scaleType() {
  const mergeType = mergeTypeOfStruct(scaleStruct());
  return { apiVersion: 'autoscaling/v1', mergeTypeOf: () => mergeType, mergeType };
}

interface ScaleChange {
  readonly request: WriteRequest;
  readonly uid?: string | undefined;
  apply(scale: KubeObject, owner: Owner): KubeObject;
}

async function readScale(scope: RequestScope, resource: Resource, { namespace, name }: ObjectTarget): Promise<ScaleChange> {
  const scaleResource = { ...resource, group: scaleKind.group, version: scaleKind.version };
  const { value } = await readObjectBody(scope, scaleResource, 'Scale');
  const request = parseWriteOptions('UpdateOptions', scope.info.query, scope.ctx);
  const sent = shapeScale(value);
  checkName(sent, name);
  placeInNamespace(sent, resource, namespace);
  return {
    request,
    uid: sent.metadata.uid,
    apply(live, owner) {
      const next = cloneJson(sent);
      recordUpdate({ ...owner, live, next });
      return next;
    },
  };
}

async function readScalePatch(scope: RequestScope, resource: Resource, { name }: ObjectTarget): Promise<ScaleChange> {
  const { type, decode } = await decodePatch(scope, { ...resource, isCustom: false });
  const request = parseWriteOptions('PatchOptions', scope.info.query, scope.ctx, type === 'apply');
  return {
    request,
    apply(live, owner) {
      const doc = patched(type, live, decode(request), request, owner);
      const next = shapePatched(doc);
      checkName(next, name);
      if (type !== 'apply') recordUpdate({ ...owner, live, next });
      return next;
    },
  };
}

const scaleStruct = () => structOfKind(scaleKind)!;

function shapeScale(value: Json): KubeObject {
  try {
    return shaped(value);
  } catch (error) {
    if (error instanceof GoJsonError) throw undecodableBody('Scale', scaleKind.version, error);
    throw error;
  }
}

function shapePatched(doc: Json): KubeObject {
  try {
    return shaped(doc);
  } catch (error) {
    if (error instanceof GoJsonError) throw invalidObject({ group: '', kind: '' }, '', [invalid('patch', printJson(doc), error.message)]);
    throw error;
  }
}

function shaped(value: Json): KubeObject {
  const scale = shapeObject(scaleStruct(), value as JsonObject, []) as unknown as KubeObject;
  return { ...scale, kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: scale.metadata ?? {} };
}

function patched(type: Patch['type'], scale: KubeObject, body: DecodedBody, request: WriteRequest, owner: Owner): Json {
  const doc = scale as unknown as Json;
  if (type === 'json') return applyJsonPatch(doc, body.value);
  if (type === 'merge') return applyMergePatch(doc, body.value);
  if (type === 'strategic') return applyStrategicMergePatch(doc, body.value, owner.mergeType);
  const applied = cloneJson(body.value) as unknown as KubeObject;
  return applyConfiguration({ ...owner, live: scale, applied, force: request.force, kind: 'Scale' }) as unknown as Json;
}
