import { badRequest, conflict, internalServerError, type StatusError } from '../../api/status.ts';
import { invalid, type FieldError } from '../../api/field-error.ts';
import type { GroupResource, KubeObject } from '../../api/object.ts';
import { cloneJson, type Json } from '../../util/json.ts';
import { namesOf, setValueAt, valueAt } from './json-path.ts';

/** `subresources.scale` of a version of a CustomResourceDefinition. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

const scaleApiVersion = 'autoscaling/v1';

function integerAt(obj: KubeObject, path: string): { found: boolean; value: number; problem?: string } {
  const value = valueAt(obj, namesOf(path));
  if (value === undefined) return { found: false, value: 0 };
  if (typeof value === 'number' && Number.isInteger(value)) return { found: true, value };
  return {
    found: true,
    value: 0,
    problem: `.${namesOf(path).join('.')} accessor error: ${JSON.stringify(value)} is of the type ${goTypeOf(value)}, expected int64`,
  };
}

function goTypeOf(value: Json): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** The Scale that stands for a custom resource. Throws StatusError when the object has no usable replica count. */
export function scaleOf(obj: KubeObject, paths: ScalePaths): KubeObject {
  const spec = integerAt(obj, paths.specReplicasPath);
  if (spec.problem !== undefined) throw internalServerError(spec.problem);
  if (!spec.found) throw internalServerError(`the spec replicas field "${paths.specReplicasPath}" does not exist`);
  const status = integerAt(obj, paths.statusReplicasPath);
  if (status.problem !== undefined) throw internalServerError(status.problem);
  const selector = paths.labelSelectorPath === undefined ? undefined : valueAt(obj, namesOf(paths.labelSelectorPath));
  if (selector !== undefined && typeof selector !== 'string')
    throw internalServerError(
      `.${namesOf(paths.labelSelectorPath ?? '').join('.')} accessor error: ${JSON.stringify(selector)} is of the type ${goTypeOf(selector)}, expected string`,
    );
  const { name, namespace, uid, resourceVersion, creationTimestamp } = obj.metadata;
  return {
    kind: 'Scale',
    apiVersion: scaleApiVersion,
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: spec.value === 0 ? {} : { replicas: spec.value },
    status: { replicas: status.value, ...(selector !== undefined && selector !== '' && { selector }) },
  };
}

/** A copy of the custom resource with the replica count of a Scale. Throws StatusError when the two do not belong together. */
export function withScale(obj: KubeObject, scale: KubeObject, paths: ScalePaths, gr: GroupResource): KubeObject {
  const { resourceVersion = '', uid = '' } = scale.metadata;
  const name = obj.metadata.name ?? '';
  if (resourceVersion !== '' && resourceVersion !== obj.metadata.resourceVersion) throw modified(gr, name);
  if (uid !== '' && uid !== obj.metadata.uid)
    throw conflict(gr, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${obj.metadata.uid ?? ''}`);
  const replicas = (scale['spec'] as { replicas?: number } | undefined)?.replicas ?? 0;
  const next = cloneJson(obj);
  if (!setValueAt(next, namesOf(paths.specReplicasPath), replicas))
    throw badRequest(`cannot set "${paths.specReplicasPath}": a value on the way is not an object`);
  return next;
}

const modified = (gr: GroupResource, name: string): StatusError =>
  conflict(gr, name, 'the object has been modified; please apply your changes to the latest version and try again');

const maxReplicas = 2147483647;

/** A Scale as a client sends it. */
export function validateScale(scale: KubeObject): FieldError[] {
  const replicas = (scale['spec'] as { replicas?: number } | undefined)?.replicas ?? 0;
  return replicas < 0 ? [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
}

/** What a custom resource says about its replicas must be sensible. `parts` names which of the two counts to check. */
export function validateReplicas(obj: KubeObject, paths: ScalePaths, parts: readonly ('spec' | 'status')[]): FieldError[] {
  return parts.flatMap(part => {
    const path = part === 'spec' ? paths.specReplicasPath : paths.statusReplicasPath;
    const { value, problem } = integerAt(obj, path);
    const errors: FieldError[] = [];
    if (problem !== undefined) errors.push(invalid(path, value, problem));
    else if (value < 0) errors.push(invalid(path, value, 'should be a non-negative integer'));
    else if (value > maxReplicas) errors.push(invalid(path, value, `should be less than or equal to ${maxReplicas}`));
    if (part === 'status' && paths.labelSelectorPath !== undefined && paths.labelSelectorPath !== '') {
      const selector = valueAt(obj, namesOf(paths.labelSelectorPath));
      if (selector !== undefined && typeof selector !== 'string')
        errors.push(
          invalid(
            paths.labelSelectorPath,
            '',
            `.${namesOf(paths.labelSelectorPath).join('.')} accessor error: ${JSON.stringify(selector)} is of the type ${goTypeOf(selector)}, expected string`,
          ),
        );
    }
    return errors;
  });
}
