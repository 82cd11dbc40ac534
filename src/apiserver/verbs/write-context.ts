import type { GroupVersionKind, KubeObject } from '../../api/object.ts';
import type { AdmissionRequest } from '../admission/admission.ts';
import type { ClusterApi } from '../cluster-api.ts';
import type { WriteRequest } from '../request.ts';
import type { Resource, WriteContext } from '../resource.ts';

export function writeContext(api: ClusterApi, resource: Resource, subresource: string, request: WriteRequest): WriteContext {
  return {
    user: request.user,
    now: request.now,
    dryRun: request.dryRun,
    subresource,
    resource,
    api,
    warn: text => request.warn(text),
  };
}

export interface AdmissionInput {
  operation: AdmissionRequest['operation'];
  resource: Resource;
  subresource: string;
  kind?: GroupVersionKind;
  namespace: string;
  name: string;
  object: KubeObject | undefined;
  oldObject: KubeObject | undefined;
  options?: KubeObject;
}

export function admissionRequest(api: ClusterApi, input: AdmissionInput, request: WriteRequest): AdmissionRequest {
  const { resource } = input;
  return {
    operation: input.operation,
    resource,
    subresource: input.subresource,
    kind: input.kind ?? { group: resource.group, version: resource.version, kind: resource.kind },
    namespace: input.namespace,
    name: input.name,
    object: input.object,
    oldObject: input.oldObject,
    options: input.options,
    user: request.user,
    dryRun: request.dryRun,
    api,
    signal: request.signal,
    warn: text => request.warn(text),
    auditAnnotation: (key, value) => request.auditAnnotation(key, value),
  };
}

/** The options of a write as webhooks see them: a patch shows those of what it does. */
export function optionsObject(kind: 'CreateOptions' | 'UpdateOptions', request: WriteRequest): KubeObject {
  const options: Record<string, unknown> = { kind, apiVersion: 'meta.k8s.io/v1' };
  if (request.dryRun) options.dryRun = ['All'];
  if (request.fieldManager !== '') options.fieldManager = request.fieldManager;
  if (request.fieldValidation !== 'Warn') options.fieldValidation = request.fieldValidation;
  return options as unknown as KubeObject;
}
