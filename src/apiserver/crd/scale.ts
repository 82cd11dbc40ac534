import { badRequest, conflict, internalServerError, plainError, type StatusError } from '../../api/status.ts';
import { invalid, type FieldError } from '../../api/field-error.ts';
import type { GroupResource, KubeObject } from '../../api/object.ts';
import { goPrint, goTypeName } from '../../util/go-print.ts';
import { cloneJson, isJsonObject } from '../../util/json.ts';
import { namesOf, setValueAt } from './json-path.ts';

/** `subresources.scale` of a version of a CustomResourceDefinition. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

const scaleApiVersion = 'autoscaling/v1';

interface Reading<T> {
  readonly value?: T;
  /** Go's words for a value of the wrong type. */
  readonly problem?: string;
}

/** Reads a value by its path; what is on the way must be objects. */
function readAt<T>(obj: KubeObject, path: string, goType: string, isWanted: (value: unknown) => value is T): Reading<T> {
  const names = namesOf(path);
  let value: unknown = obj;
  for (const [i, name] of names.entries()) {
    if (value === undefined || value === null) return {};
    if (!isJsonObject(value)) return { problem: wrongType(names.slice(0, i + 1), value, 'map[string]interface{}') };
    value = value[name];
  }
  if (value === undefined) return {};
  return isWanted(value) ? { value } : { problem: wrongType(names, value, goType) };
}

const wrongType = (names: readonly string[], value: unknown, wanted: string): string =>
  `.${names.join('.')} accessor error: ${goPrint(value)} is of the type ${goTypeName(value)}, expected ${wanted}`;

const integerAt = (obj: KubeObject, path: string): Reading<number> =>
  readAt(obj, path, 'int64', (value): value is number => typeof value === 'number' && Number.isInteger(value));
const textAt = (obj: KubeObject, path: string): Reading<string> => readAt(obj, path, 'string', value => typeof value === 'string');

/** The Scale that stands for a custom resource. Throws StatusError when the object has no usable replica count. */
export function scaleOf(obj: KubeObject, paths: ScalePaths): KubeObject {
  const spec = integerAt(obj, paths.specReplicasPath);
  const status = integerAt(obj, paths.statusReplicasPath);
  const selector = (paths.labelSelectorPath ?? '') === '' ? {} : textAt(obj, paths.labelSelectorPath ?? '');
  for (const { problem } of [spec, status, selector]) if (problem !== undefined) throw plainError(problem);
  if (spec.value === undefined)
    throw internalServerError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`);
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
    status: { replicas: status.value ?? 0, ...((selector.value ?? '') !== '' && { selector: selector.value }) },
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
    const { value = 0, problem } = integerAt(obj, path);
    const errors: FieldError[] = [];
    if (problem !== undefined) errors.push(invalid(path, 0, problem));
    else if (value < 0) errors.push(invalid(path, value, 'should be a non-negative integer'));
    else if (value > maxReplicas) errors.push(invalid(path, value, `should be less than or equal to ${maxReplicas}`));
    if (part === 'spec' || paths.labelSelectorPath === undefined) return errors;
    const selector = textAt(obj, paths.labelSelectorPath);
    if (selector.problem !== undefined) errors.push(invalid(paths.labelSelectorPath, '', selector.problem));
    return errors;
  });
}
