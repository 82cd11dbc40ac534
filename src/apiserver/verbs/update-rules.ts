import type { FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import {
  prepareEphemeralContainersUpdate,
  prepareResizeUpdate,
  validateEphemeralContainersUpdate,
  validateResize,
} from '../builtin/workloads/pod-subresources.ts';
import type { Resource, WriteContext } from '../resource.ts';

/** How an update through one subresource takes from the request and what it checks. */
export interface UpdateRules {
  prepare(obj: KubeObject, old: KubeObject, ctx: WriteContext): void;
  validate(obj: KubeObject, old: KubeObject, ctx: WriteContext): FieldError[];
  readonly raisesGeneration: boolean;
}

export function updateRules(resource: Resource, subresource: string): UpdateRules {
  const { strategy } = resource;
  if (subresource === 'status') {
    return {
      prepare: strategy.prepareForStatusUpdate ?? keepAllButStatus,
      validate: (obj, old, ctx) => strategy.validateStatusUpdate?.(obj, old, ctx) ?? [],
      raisesGeneration: false,
    };
  }
  if (subresource === 'ephemeralcontainers') {
    return { prepare: prepareEphemeralContainersUpdate, validate: validateEphemeralContainersUpdate, raisesGeneration: true };
  }
  if (subresource === 'resize') return { prepare: prepareResizeUpdate, validate: validateResize, raisesGeneration: true };
  // The verb itself made the change: nothing of it came from a client.
  if (subresource === 'binding') return { prepare: () => {}, validate: () => [], raisesGeneration: false };
  return {
    prepare: (obj, old, ctx) => strategy.prepareForUpdate?.(obj, old, ctx),
    validate: (obj, old, ctx) => strategy.validateUpdate?.(obj, old, ctx) ?? [],
    raisesGeneration: true,
  };
}

function keepAllButStatus(obj: KubeObject, old: KubeObject): void {
  for (const key of Object.keys(obj)) if (!(key in old) && key !== 'status' && key !== 'metadata') delete obj[key];
  for (const key of Object.keys(old)) if (key !== 'status' && key !== 'metadata') obj[key] = old[key];
}
