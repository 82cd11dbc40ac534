import type { FieldError } from '../../api/field-error.ts';
import { invalid } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Strategy } from '../resource.ts';

/** Gives an object the field that another one has, also when that is none. */
export function carryOver(obj: KubeObject, old: KubeObject, ...fields: string[]): void {
  for (const field of fields)
    if (old[field] === undefined) delete obj[field];
    else obj[field] = old[field];
}

/** A spec and a status with an endpoint of its own. `emptyStatus` is what Go prints for a status nobody has set. */
export function specAndStatus(emptyStatus: () => Record<string, unknown> = () => ({})): Strategy {
  return {
    hasStatus: true,
    prepareForCreate(obj) {
      obj['status'] = emptyStatus();
    },
    prepareForUpdate(obj, old) {
      carryOver(obj, old, 'status');
    },
    prepareForStatusUpdate(obj, old) {
      carryOver(obj, old, 'spec');
    },
    resetFields: { '': [['status']], status: [['spec']] },
  };
}

/** For status endpoints that leave labels, annotations, finalizers and owners alone. */
export function keepMetadata(obj: KubeObject, old: KubeObject): void {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences', 'generation', 'generateName'] as const)
    if (old.metadata[field] === undefined) delete obj.metadata[field];
    else Object.assign(obj.metadata, { [field]: old.metadata[field] });
}

/** One error for each reason a check gave. */
export const invalidFor = (path: string, value: unknown, problems: readonly string[]): FieldError[] =>
  problems.map(problem => invalid(path, value, problem));

export const oneOf = (value: string | undefined, allowed: readonly string[]): boolean => value !== undefined && allowed.includes(value);
