import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid, required } from '../../../api/field-error.ts';
import type {
  Affinity,
  LabelSelector,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../../api/kubernetes.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from '../../../api/names.ts';
import { validateLabelName } from '../../validation/object-meta.ts';
import { pushInvalid } from './invalid-value.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity(affinity: Affinity | undefined, path: string, opts: PodValidationOptions): FieldError[] {
  if (!affinity) return [];
  const errors: FieldError[] = [];
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity) {
    const own = at.child(path, 'nodeAffinity');
    const selector = nodeAffinity[requiredTerms];
    if (selector) errors.push(...validateNodeSelector(selector, at.child(own, requiredTerms), opts.allowInvalidNodeAffinityValues));
    (nodeAffinity[preferredTerms] ?? []).forEach(({ weight, preference }, i) => {
      const termPath = at.index(at.child(own, preferredTerms), i);
      validateWeight(weight, termPath, errors);
      validateNodeSelectorTerm(preference ?? {}, at.child(termPath, 'preference'), true, errors);
    });
  }
  if (podAffinity) validatePodAffinity(podAffinity, at.child(path, 'podAffinity'), opts, errors);
  if (podAntiAffinity) validatePodAffinity(podAntiAffinity, at.child(path, 'podAntiAffinity'), opts, errors);
  return errors;
}

function validateWeight(weight: number, path: string, errors: FieldError[]): void {
  if (!(weight > 0 && weight <= 100)) errors.push(invalid(at.child(path, 'weight'), weight ?? 0, 'must be in the range 1-100'));
}

function validateNodeSelector(selector: NodeSelector, path: string, allowInvalidValues: boolean): FieldError[] {
  const termsPath = at.child(path, 'nodeSelectorTerms');
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(termsPath, 'must have at least one node selector term')];
  const errors: FieldError[] = [];
  terms.forEach((term, i) => validateNodeSelectorTerm(term, at.index(termsPath, i), allowInvalidValues, errors));
  return errors;
}

function validateNodeSelectorTerm(term: NodeSelectorTerm, path: string, allowInvalidValues: boolean, errors: FieldError[]): void {
  (term.matchExpressions ?? []).forEach((requirement, i) =>
    validateRequirement(requirement, at.index(at.child(path, 'matchExpressions'), i), allowInvalidValues, errors),
  );
  (term.matchFields ?? []).forEach((requirement, i) =>
    validateFieldRequirement(requirement, at.index(at.child(path, 'matchFields'), i), errors),
  );
}

function validateRequirement(requirement: NodeSelectorRequirement, path: string, allowInvalidValues: boolean, errors: FieldError[]): void {
  const { key = '', operator = '', values = [] } = requirement;
  const valuesPath = at.child(path, 'values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) errors.push(forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) errors.push(required(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(at.child(path, 'operator'), operator, 'not a valid selector operator'));
  }
  errors.push(...validateLabelName(key, at.child(path, 'key')));
  if (!allowInvalidValues) values.forEach((value, i) => pushInvalid(errors, at.index(valuesPath, i), value, isLabelValue(value)));
}

function validateFieldRequirement(requirement: NodeSelectorRequirement, path: string, errors: FieldError[]): void {
  const { key = '', operator = '', values = [] } = requirement;
  const valuesPath = at.child(path, 'values');
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalid(at.child(path, 'operator'), operator, 'not a valid selector operator'));
  else if (values.length !== 1)
    errors.push(required(valuesPath, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  if (key !== 'metadata.name') errors.push(invalid(at.child(path, 'key'), key, 'not a valid field selector key'));
  else values.forEach((value, i) => pushInvalid(errors, at.index(valuesPath, i), value, isDns1123Subdomain(value)));
}

function validatePodAffinity(affinity: PodAffinity, path: string, opts: PodValidationOptions, errors: FieldError[]): void {
  (affinity[requiredTerms] ?? []).forEach((term, i) =>
    validatePodAffinityTerm(term, at.index(at.child(path, requiredTerms), i), opts, errors),
  );
  (affinity[preferredTerms] ?? []).forEach(({ weight, podAffinityTerm }, i) => {
    const own = at.index(at.child(path, preferredTerms), i);
    validateWeight(weight, own, errors);
    validatePodAffinityTerm(podAffinityTerm, at.child(own, 'podAffinityTerm'), opts, errors);
  });
}

function validatePodAffinityTerm(term: PodAffinityTerm, path: string, opts: PodValidationOptions, errors: FieldError[]): void {
  const selectorOptions = { allowInvalidValues: opts.allowInvalidSelectorValues };
  errors.push(...validateLabelSelector(term.labelSelector, at.child(path, 'labelSelector'), selectorOptions));
  errors.push(...validateLabelSelector(term.namespaceSelector, at.child(path, 'namespaceSelector'), selectorOptions));
  for (const name of term.namespaces ?? []) pushInvalid(errors, at.child(path, 'namespace'), name, isDns1123Label(name));
  errors.push(...validateSpreadLabelKeys(term.matchLabelKeys, term.mismatchLabelKeys, term.labelSelector, path));
  if (!term.topologyKey) errors.push(required(at.child(path, 'topologyKey'), 'can not be empty'));
  errors.push(...validateLabelName(term.topologyKey ?? '', at.child(path, 'topologyKey')));
}

/** Label keys whose values a pod adds to its own selector. They must not repeat what the selector already says. */
export function validateSpreadLabelKeys(
  matchKeys: readonly string[] | undefined,
  mismatchKeys: readonly string[] | undefined,
  selector: LabelSelector | undefined,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  validateKeys(matchKeys ?? [], selector, at.child(path, 'matchLabelKeys'), errors);
  validateKeys(mismatchKeys ?? [], selector, at.child(path, 'mismatchLabelKeys'), errors);
  if (selector && matchKeys?.length) {
    const seen = new Set(Object.keys(selector.matchLabels ?? {}));
    for (const { key } of selector.matchExpressions ?? []) {
      const i = matchKeys.lastIndexOf(key);
      if (i >= 0 && seen.has(key)) errors.push(invalid(at.index(path, i), key, 'exists in both matchLabelKeys and labelSelector'));
      seen.add(key);
    }
  }
  (matchKeys ?? []).forEach((key, i) => {
    if (mismatchKeys?.includes(key))
      errors.push(invalid(at.index(at.child(path, 'matchLabelKeys'), i), key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
  });
  return errors;
}

function validateKeys(keys: readonly string[], selector: LabelSelector | undefined, path: string, errors: FieldError[]): void {
  if (keys.length === 0) return;
  if (!selector) return void errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  keys.forEach((key, i) => errors.push(...validateLabelName(key, at.index(path, i))));
}

/** The older rule: no key may stand in both places, not even once. */
export function validateLegacySpreadLabelKeys(keys: readonly string[], selector: LabelSelector | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (keys.length === 0) return errors;
  if (!selector) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  const taken = new Set([...Object.keys(selector?.matchLabels ?? {}), ...(selector?.matchExpressions ?? []).map(e => e.key)]);
  keys.forEach((key, i) => {
    errors.push(...validateLabelName(key, at.index(path, i)));
    if (taken.has(key)) errors.push(invalid(at.index(path, i), key, 'exists in both matchLabelKeys and labelSelector'));
  });
  return errors;
}
