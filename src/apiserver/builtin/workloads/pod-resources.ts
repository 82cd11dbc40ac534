import type { FieldError } from '../../../api/field-error.ts';
import { at, duplicate, forbidden, invalid, notSupported, required } from '../../../api/field-error.ts';
import type { Container, Pod, PodSpec, ResourceClaim, ResourceRequirements } from '../../../api/kubernetes.ts';
import { isDns1123Label } from '../../../api/names.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isWholeNumber,
  quantityValue,
  type Quantities,
  type Quantity,
} from '../../validation/quantities.ts';
import {
  isHugePageName,
  isIntegerResource,
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from '../../validation/resource-list.ts';

const hugePagesPrefix = 'hugepages-';
const computeResources = ['cpu', 'memory'];

export const isPodLevelResource = (name: string) => computeResources.includes(name) || isHugePageName(name);

export const isSidecar = (container: Container) => container.restartPolicy === 'Always';

export const aggregateRequests = (spec: PodSpec) => aggregate(spec, 'requests');
export const aggregateLimits = (spec: PodSpec) => aggregate(spec, 'limits');

// Sidecars run beside the containers; an ordinary init container runs alone, beside the sidecars started before it.
function aggregate(spec: PodSpec, which: 'requests' | 'limits'): Quantities {
  const total: Quantities = {};
  for (const container of spec.containers ?? []) addTo(total, container.resources?.[which]);
  const sidecars: Quantities = {};
  const duringInit: Quantities = {};
  for (const container of spec.initContainers ?? []) {
    const own = container.resources?.[which];
    if (isSidecar(container)) {
      addTo(total, own);
      addTo(sidecars, own);
      keepLarger(duringInit, sidecars);
      continue;
    }
    const now: Quantities = {};
    addTo(now, own);
    addTo(now, sidecars);
    keepLarger(duringInit, now);
  }
  keepLarger(total, duringInit);
  return total;
}

function addTo(total: Quantities, list: Quantities | undefined): void {
  for (const name in list) total[name] = total[name] === undefined ? list[name]! : addQuantities(total[name], list[name]!);
}

function keepLarger(total: Quantities, list: Quantities): void {
  for (const name in list) if (total[name] === undefined || compareQuantities(list[name]!, total[name]) > 0) total[name] = list[name]!;
}

/** The quality of service class that follows from a pod's cpu and memory. */
export function computeQosClass(pod: Pod): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const requests: Quantities = {};
  const limits: Quantities = {};
  const spec = pod.spec;
  let isGuaranteed = true;
  const consider = (resources: ResourceRequirements | undefined) => {
    addTo(requests, positiveCompute(resources?.requests));
    const limited = positiveCompute(resources?.limits);
    addTo(limits, limited);
    return Object.keys(limited).length === computeResources.length;
  };
  if (spec?.resources) {
    const limitsBoth = consider(spec.resources);
    if (Object.keys(spec.resources.limits ?? {}).length > 0) isGuaranteed = limitsBoth;
  } else
    for (const container of [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])])
      if (!consider(container.resources)) isGuaranteed = false;

  const requested = Object.keys(requests);
  const limited = Object.keys(limits);
  if (requested.length === 0 && limited.length === 0) return 'BestEffort';
  if (isGuaranteed)
    isGuaranteed = requested.every(name => limits[name] !== undefined && compareQuantities(limits[name], requests[name]!) === 0);
  return isGuaranteed && requested.length === limited.length ? 'Guaranteed' : 'Burstable';
}

function positiveCompute(list: Quantities | undefined): Quantities {
  const found: Quantities = {};
  for (const name of computeResources) if (list?.[name] !== undefined && compareQuantities(list[name], '0') > 0) found[name] = list[name];
  return found;
}

function validatePodResourceName(name: string, path: string): FieldError[] {
  const errors = validateResourceName(name, path);
  if (errors.length === 0 && !isPodLevelResource(name)) errors.push(notSupported(path, name, ['cpu', hugePagesPrefix, 'memory']));
  return errors;
}

export function validateResourceQuantity(name: string, quantity: Quantity, path: string, errors: FieldError[]): void {
  if (compareQuantities(quantity, '0') < 0) errors.push(invalid(path, formatQuantity(quantity), 'must be greater than or equal to 0'));
  if (isIntegerResource(name) && !isWholeNumber(quantity)) errors.push(invalid(path, formatQuantity(quantity), 'must be an integer'));
}

/** Whether a huge page quantity is a whole number of pages. */
export function isWholePages(name: string, quantity: Quantity): boolean {
  const size = name.slice(hugePagesPrefix.length);
  try {
    const page = quantityValue(size);
    return page > 0n && isWholeNumber(size) && quantityValue(quantity) % page === 0n;
  } catch {
    return false;
  }
}

function validateHugePages(name: string, quantity: Quantity, path: string, opts: PodValidationOptions, errors: FieldError[]): void {
  if (opts.allowIndivisibleHugePages || isWholePages(name, quantity)) return;
  const value = formatQuantity(quantity);
  errors.push(invalid(path, value, `${value} is not positive integer multiple of ${name}`));
}

type NameRule = (name: string, path: string) => FieldError[];

function validateRequirements(
  requirements: ResourceRequirements,
  nameRule: NameRule,
  claimNames: ReadonlySet<string>,
  path: string,
  opts: PodValidationOptions,
): FieldError[] {
  const errors: FieldError[] = [];
  const { limits = {}, requests = {} } = requirements;
  const limitsPath = at.child(path, 'limits');
  const requestsPath = at.child(path, 'requests');
  for (const name of Object.keys(limits).sort()) {
    const namePath = at.key(limitsPath, name);
    errors.push(...nameRule(name, namePath));
    validateResourceQuantity(name, limits[name]!, namePath, errors);
    if (isHugePageName(name)) validateHugePages(name, limits[name]!, namePath, opts, errors);
  }
  for (const name of Object.keys(requests).sort()) {
    const namePath = at.key(requestsPath, name);
    const quantity = requests[name]!;
    const limit = limits[name];
    errors.push(...nameRule(name, namePath));
    validateResourceQuantity(name, quantity, namePath, errors);
    if (limit === undefined) {
      if (!isOvercommitAllowed(name)) errors.push(required(limitsPath, 'Limit must be set for non overcommitable resources'));
    } else if (!isOvercommitAllowed(name) && compareQuantities(quantity, limit) !== 0)
      errors.push(invalid(requestsPath, formatQuantity(quantity), `must be equal to ${name} limit of ${formatQuantity(limit)}`));
    else if (compareQuantities(quantity, limit) > 0)
      errors.push(
        invalid(requestsPath, formatQuantity(quantity), `must be less than or equal to ${name} limit of ${formatQuantity(limit)}`),
      );
    if (isHugePageName(name)) validateHugePages(name, quantity, namePath, opts, errors);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePageName) && !names.some(name => computeResources.includes(name)))
    errors.push(forbidden(path, 'HugePages require cpu or memory'));
  validateClaimNames(requirements.claims ?? [], claimNames, at.child(path, 'claims'), errors);
  return errors;
}

function validateClaimNames(claims: ResourceClaim[], claimNames: ReadonlySet<string>, path: string, errors: FieldError[]): void {
  const seen = new Set<string>();
  claims.forEach(({ name, request = '' }, i) => {
    const itemPath = at.index(path, i);
    if (!name) return void errors.push(required(itemPath));
    if (seen.has(name)) errors.push(duplicate(itemPath, name));
    else {
      const key = request === '' ? name : `${name}/${request}`;
      if (request !== '')
        for (const message of isDns1123Label(request)) errors.push(invalid(at.child(itemPath, 'request'), request, message));
      if (seen.has(key)) errors.push(duplicate(itemPath, key));
      else if (request === '') for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(itemPath, name));
      seen.add(key);
    }
    if (claimNames.has(name)) return;
    const known = claimNames.size === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`;
    errors.push({
      type: 'FieldValueNotFound',
      field: itemPath,
      message: `Not found: ${JSON.stringify(name)}: must be one of the names in pod.spec.resourceClaims${known}`,
    });
  });
}

const noNames: ReadonlySet<string> = new Set();

export function validateContainerResources(
  requirements: ResourceRequirements | undefined,
  claimNames: ReadonlySet<string>,
  path: string,
  opts: PodValidationOptions,
): FieldError[] {
  return requirements ? validateRequirements(requirements, validateContainerResourceName, claimNames, path, opts) : [];
}

export function validateOverhead(overhead: Quantities, path: string, opts: PodValidationOptions): FieldError[] {
  return validateRequirements({ limits: overhead }, validateContainerResourceName, noNames, path, opts);
}

/** Resources of the pod as a whole must cover what its containers ask for. */
export function validatePodResources(
  spec: PodSpec,
  claimNames: ReadonlySet<string>,
  specPath: string,
  opts: PodValidationOptions,
): FieldError[] {
  const resources = spec.resources;
  if (!resources) return [];
  const path = at.child(specPath, 'resources');
  if (spec.os?.name === 'windows') return [forbidden(path, 'may not be set for a windows pod')];
  const errors: FieldError[] = [];
  if (resources.claims) errors.push(forbidden(at.child(path, 'claims'), 'claims may not be set for Resources at pod-level'));
  errors.push(...validateRequirements(resources, validatePodResourceName, claimNames, path, opts));

  const tooSmall = (which: 'requests' | 'limits', name: string, needed: Quantity) => {
    const given = resources[which]?.[name];
    if (given === undefined || compareQuantities(needed, given) <= 0) return;
    const detail = `must be greater than or equal to aggregate container ${which} of ${formatQuantity(needed)}`;
    errors.push(invalid(at.key(at.child(path, which), name), formatQuantity(given), detail));
  };
  const requests = aggregateRequests(spec);
  for (const name of Object.keys(requests).sort()) tooSmall('requests', name, requests[name]!);
  const limits = aggregateLimits(spec);
  for (const name of Object.keys(limits).sort()) if (isHugePageName(name)) tooSmall('limits', name, limits[name]!);
  (spec.containers ?? []).forEach((container, i) => {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const podLimit = resources.limits?.[name];
      if (podLimit === undefined || compareQuantities(limit, podLimit) <= 0) continue;
      const limitPath = at.child(at.key(at.index(at.child(path, 'containers'), i), name), 'limits');
      errors.push(invalid(limitPath, formatQuantity(limit), `must be less than or equal to pod limits of ${formatQuantity(podLimit)}`));
    }
  });
  return errors;
}
