import { invalid, type FieldError } from '../../api/field-error.ts';
import { isQualifiedName } from '../../api/names.ts';
import { isWholeNumber, nanoUnits } from './quantities.ts';

export type ResourceList = Readonly<Record<string, string | number>>;

const countedObjects = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const computeResources = ['cpu', 'memory', 'ephemeral-storage'];
const quotaResources: ReadonlySet<string> = new Set([
  ...computeResources,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...countedObjects,
]);

export const isHugePageName = (name: string) => name.startsWith('hugepages-');
const isQuotaHugePages = (name: string) => isHugePageName(name) || name.startsWith('requests.hugepages-');
export const isStandardQuotaResource = (name: string) => quotaResources.has(name) || isQuotaHugePages(name);
const isStandardResource = (name: string) => isStandardQuotaResource(name) || name === 'storage';
const isStandardContainerResource = (name: string) => computeResources.includes(name) || isHugePageName(name);
const isNativeResource = (name: string) => !name.includes('/') || name.includes('kubernetes.io/');
export const isOvercommitAllowed = (name: string) => isNativeResource(name) && !isHugePageName(name);
const isExtendedResource = (name: string) =>
  !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0;
export const isIntegerResource = (name: string) => countedObjects.includes(name) || isExtendedResource(name);

export function validateResourceName(name: string, path: string): FieldError[] {
  const errors = isQualifiedName(name).map(problem => invalid(path, name, problem));
  if (errors.length > 0 || name.includes('/') || isStandardResource(name)) return errors;
  return [invalid(path, name, 'must be a standard resource type or fully qualified')];
}

export function validateContainerResourceName(name: string, path: string): FieldError[] {
  const errors = validateResourceName(name, path);
  if (!name.includes('/'))
    return isStandardContainerResource(name) ? errors : [...errors, invalid(path, name, 'must be a standard resource for containers')];
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [...errors, invalid(path, name, "doesn't follow extended resource name standard")];
}

export function validateQuotaResourceName(name: string, path: string): FieldError[] {
  const errors = validateResourceName(name, path);
  if (name.includes('/') || isStandardQuotaResource(name)) return errors;
  return [...errors, invalid(path, name, 'must be a standard resource for quota')];
}

export function validateNonNegativeQuantity(quantity: string | number, path: string): FieldError[] {
  return nanoUnits(quantity) < 0n ? [invalid(path, String(quantity), 'must be greater than or equal to 0')] : [];
}

export function validatePositiveQuantity(quantity: string | number, path: string): FieldError[] {
  return nanoUnits(quantity) <= 0n ? [invalid(path, String(quantity), 'must be greater than zero')] : [];
}

/** Not negative, and whole where only whole things can be counted. */
export function validateResourceQuantityValue(name: string, quantity: string | number, path: string): FieldError[] {
  const errors = validateNonNegativeQuantity(quantity, path);
  if (isIntegerResource(name) && !isWholeNumber(quantity)) errors.push(invalid(path, String(quantity), 'must be an integer'));
  return errors;
}
