import { badRequest, internalServerError, plainError } from '../../api/status.ts';
import { invalid, type FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
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
  const { scale, hasReplicas } = readScale(obj, paths);
  if (!hasReplicas) throw internalServerError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`);
  return scale;
}

/** Stands for a count that was never set, until an update sets one. */
const unsetReplicas = -2147483648;

/** The same for an update, which may be the first to set the count. */
export function scaleToChange(obj: KubeObject, paths: ScalePaths): KubeObject {
  const { scale, hasReplicas } = readScale(obj, paths);
  return hasReplicas ? scale : { ...scale, spec: { replicas: unsetReplicas } };
}

/** A Scale after a change. Its count is checked with the custom resource it goes to. */
export function checkScale(scale: KubeObject, paths: ScalePaths): void {
  if (replicasOf(scale) === unsetReplicas)
    throw badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} cannot be empty`);
}

const replicasOf = (scale: KubeObject): number => (scale['spec'] as { replicas?: number } | undefined)?.replicas ?? 0;

function readScale(obj: KubeObject, paths: ScalePaths): { scale: KubeObject; hasReplicas: boolean } {
  const spec = integerAt(obj, paths.specReplicasPath);
  const status = integerAt(obj, paths.statusReplicasPath);
  const selector = (paths.labelSelectorPath ?? '') === '' ? {} : textAt(obj, paths.labelSelectorPath ?? '');
  for (const { problem } of [spec, status, selector]) if (problem !== undefined) throw plainError(problem);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = obj.metadata;
  const scale: KubeObject = {
    kind: 'Scale',
    apiVersion: scaleApiVersion,
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: (spec.value ?? 0) === 0 ? {} : { replicas: spec.value },
    status: { replicas: status.value ?? 0, ...((selector.value ?? '') !== '' && { selector: selector.value }) },
  };
  return { scale, hasReplicas: spec.value !== undefined };
}

/** A copy of the custom resource with the replica count of a Scale, and its resourceVersion when the Scale names one. */
export function withScale(obj: KubeObject, scale: KubeObject, paths: ScalePaths): KubeObject {
  const next = cloneJson(obj);
  if (!setValueAt(next, namesOf(paths.specReplicasPath), replicasOf(scale)))
    throw badRequest(`cannot set "${paths.specReplicasPath}": a value on the way is not an object`);
  const { resourceVersion = '' } = scale.metadata;
  if (resourceVersion !== '') next.metadata.resourceVersion = resourceVersion;
  return next;
}

const maxReplicas = 2147483647;

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
