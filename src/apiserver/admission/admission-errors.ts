import type { KubeObject } from '../../api/object.ts';
import { forbiddenError, type StatusCause, type StatusError } from '../../api/status.ts';
import type { AdmissionRequest } from './admission.ts';

/** 403 with the name the object has, or will have as far as is known before names are generated. */
export function forbid(request: AdmissionRequest, why: string, causes?: StatusCause[]): StatusError {
  const { group, resource } = request.resource;
  return forbiddenError({ group, resource }, nameInErrors(request), why, causes);
}

function nameInErrors(request: AdmissionRequest): string {
  const meta = request.object?.metadata;
  return request.name || meta?.name || meta?.generateName || 'Unknown';
}

export function concerns(request: AdmissionRequest, group: string, resource: string): boolean {
  return request.resource.resource === resource && request.resource.group === group;
}

export const isMainResource = (request: AdmissionRequest) => request.subresource === '';
export const isPod = (request: AdmissionRequest) => concerns(request, '', 'pods');

/** The part of an object that holds what its author wants, typed by the caller who knows the kind. */
export function specOf<T>(obj: KubeObject): T {
  return (obj['spec'] ??= {}) as T;
}
