import type { FieldError } from '../../../api/field-error.ts';
import { at, invalid, notSupported, required } from '../../../api/field-error.ts';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../../api/kubernetes.ts';
import { isQualifiedName } from '../../../api/names.ts';
import { pushInvalid } from './invalid-value.ts';
import { compareQuantities, formatQuantity } from '../../validation/quantities.ts';

export const envFieldPaths: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
export const volumeFieldPaths: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const knownLabels = new Set([
  ...envFieldPaths,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

function splitSubscript(fieldPath: string): { path: string; subscript: string } | undefined {
  const open = fieldPath.indexOf("['");
  if (open <= 0 || !fieldPath.endsWith("']") || fieldPath.length < open + 4) return undefined;
  return { path: fieldPath.slice(0, open), subscript: fieldPath.slice(open + 2, -2) };
}

function conversionProblem(version: string, label: string): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  const split = splitSubscript(label);
  if (split) {
    const takesSubscript = split.path === 'metadata.annotations' || split.path === 'metadata.labels';
    return takesSubscript ? undefined : `field label does not support subscript: ${label}`;
  }
  return knownLabels.has(label) || label === 'spec.host' ? undefined : `field label not supported: ${label}`;
}

export function validateFieldRef(ref: ObjectFieldSelector, supported: readonly string[], path: string): FieldError[] {
  if (!ref.apiVersion) return [required(at.child(path, 'apiVersion'))];
  const pathPath = at.child(path, 'fieldPath');
  if (!ref.fieldPath) return [required(pathPath)];
  const problem = conversionProblem(ref.apiVersion, ref.fieldPath);
  if (problem !== undefined) return [invalid(pathPath, ref.fieldPath, `error converting fieldPath: ${problem}`)];

  const label = ref.fieldPath === 'spec.host' ? 'spec.nodeName' : ref.fieldPath;
  const split = splitSubscript(label);
  if (!split) return supported.includes(label) ? [] : [notSupported(pathPath, label, supported)];
  const errors: FieldError[] = [];
  const key = split.path === 'metadata.annotations' ? split.subscript.toLowerCase() : split.subscript;
  pushInvalid(errors, path, key, isQualifiedName(key));
  return errors;
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const isHugePageField = (resource: string) => resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-');

export function validateResourceFieldRef(ref: ResourceFieldSelector, path: string, isVolume: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const resource = ref.resource ?? '';
  if (isVolume && !ref.containerName) errors.push(required(at.child(path, 'containerName')));
  else if (resource === '') errors.push(required(at.child(path, 'resource')));
  else if (!resourceFields.includes(resource) && !isHugePageField(resource))
    errors.push(notSupported(at.child(path, 'resource'), resource, resourceFields));
  validateDivisor(resource, ref.divisor ?? '0', path, errors);
  return errors;
}

const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function validateDivisor(resource: string, divisor: string | number, path: string, errors: FieldError[]): void {
  if (compareQuantities(divisor, '0') === 0) return;
  const text = formatQuantity(divisor);
  const refuse = (values: string, kind: string) =>
    errors.push(invalid(at.child(path, 'divisor'), resource, `only divisor's values ${values} are supported with the ${kind} resource`));
  const list = byteDivisors.join(', ');
  const name = resource.slice(resource.indexOf('.') + 1);
  if (name === 'cpu' && text !== '1m' && text !== '1') refuse('1m and 1', 'cpu');
  if (byteDivisors.includes(text)) return;
  if (name === 'memory') refuse(list, 'memory');
  if (name === 'ephemeral-storage') refuse(list, 'local ephemeral storage');
  if (isHugePageField(resource)) refuse(list, 'hugepages');
}
