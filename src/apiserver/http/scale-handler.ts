import type { KubeObject } from '../../api/object.ts';
import { invalidObject, methodNotAllowed } from '../../api/status.ts';
import { cloneJson, type Json, type JsonObject } from '../../util/json.ts';
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
import { managerOf, type WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { mergeTypeOfStruct } from '../schema/builtin-merge-type.ts';
import { shapeObject } from '../schema/shape.ts';
import { apiVersionOf } from '../../api/object.ts';
import type { DecodedBody } from '../verbs/decode-object.ts';
import { ownership, writeUpdate } from '../verbs/update.ts';
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
  withScale(obj: KubeObject, scale: KubeObject): KubeObject;
  readonly paths: ReplicasPaths;
}

function scalingOf(resource: Resource): Scaling {
  if (isCustomResource(resource) && resource.scale) {
    const { scale } = resource;
    return {
      scaleOf: obj => custom.scaleOf(obj, scale),
      withScale: (obj, value) => custom.withScale(obj, value, scale, resource),
      paths: resource.replicasPaths,
    };
  }
  return { scaleOf: workloads.scaleOf, withScale: workloads.withReplicas, paths: { [apiVersionOf(resource)]: workloads.replicasPath } };
}

export async function serveScale(scope: RequestScope, resource: Resource): Promise<void> {
  const scaling = scalingOf(resource);
  const negotiated = negotiate(scope.req.headers.accept, scope.info.query, scope.ctx.userAgent, { forms: true });
  const { verb } = scope.info;
  if (verb === 'get') {
    return sendObject(scope, 200, scaling.scaleOf(await objectOf(resource, await findEntry(scope, resource))), negotiated);
  }
  if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed();
  const change = verb === 'update' ? await readScale(scope, resource) : await readScalePatch(scope, resource);
  const transform = (live: KubeObject) => {
    const scale = scaling.scaleOf(live);
    const entries = toScaleEntries(live.metadata.managedFields, scaling.paths);
    if (entries) scale.metadata.managedFields = entries;
    const wanted = change.apply(scale);
    const errors = workloads.validateScale(wanted);
    if (errors.length > 0) throw invalidObject(scaleKind, live.metadata.name ?? '', errors);
    const next = cloneJson(scaling.withScale(live, wanted));
    if (change.isApply) {
      const owned = toParentEntries(live.metadata.managedFields, wanted.metadata.managedFields, apiVersionOf(resource), scaling.paths);
      if (owned) next.metadata.managedFields = owned;
    } else recordUpdate({ ...ownership(scope.cluster, resource, 'scale', change.request), live, next });
    return next;
  };
  const updated = await writeUpdate(
    scope.cluster,
    { resource, target: targetOf(scope, resource), subresource: 'scale', transform, kind: 'patch' },
    change.request,
  );
  return sendObject(scope, 200, scaling.scaleOf(updated.obj), negotiated);
}

interface ScaleChange {
  readonly request: WriteRequest;
  readonly isApply: boolean;
  apply(scale: KubeObject): KubeObject;
}

async function readScale(scope: RequestScope, resource: Resource): Promise<ScaleChange> {
  const body = await readObjectBody(scope, { ...resource, group: scaleKind.group, version: scaleKind.version }, 'Scale');
  const request = parseWriteOptions('UpdateOptions', scope.info.query, scope.ctx);
  return { request, isApply: false, apply: () => shapeScale(body.value) };
}

async function readScalePatch(scope: RequestScope, resource: Resource): Promise<ScaleChange> {
  const { type, body } = await decodePatch(scope, { ...resource, isCustom: false });
  const request = parseWriteOptions('PatchOptions', scope.info.query, scope.ctx, type === 'apply');
  return { request, isApply: type === 'apply', apply: scale => shapeScale(patched(type, scale, body, request)) };
}

const scaleStruct = () => structOfKind(scaleKind)!;

function shapeScale(value: Json): KubeObject {
  const shaped = shapeObject(scaleStruct(), value as JsonObject, []) as unknown as KubeObject;
  shaped.metadata ??= {};
  return shaped;
}

function patched(type: 'json' | 'merge' | 'strategic' | 'apply', scale: KubeObject, body: DecodedBody, request: WriteRequest): Json {
  const doc = scale as unknown as Json;
  const mergeType = mergeTypeOfStruct(scaleStruct());
  if (type === 'json') return applyJsonPatch(doc, body.value);
  if (type === 'merge') return applyMergePatch(doc, body.value);
  if (type === 'strategic') return applyStrategicMergePatch(doc, body.value, mergeType);
  return applyConfiguration({
    live: scale,
    applied: body.value as unknown as KubeObject,
    manager: managerOf(request),
    apiVersion: 'autoscaling/v1',
    mergeTypeOf: () => mergeType,
    subresource: 'scale',
    now: request.now,
    force: request.force,
    kind: 'Scale',
  }) as unknown as Json;
}
