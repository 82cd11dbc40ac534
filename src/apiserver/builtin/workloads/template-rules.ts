import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid, notSupported, required } from '../../../api/field-error.ts';
import type { LabelSelector, PodTemplateSpec } from '../../../api/kubernetes.ts';
import { selectorMatches, validateLabelSelector } from '../../validation/label-selector.ts';
import { isPercent } from '../../../api/names.ts';
import { validateAnnotations, validateLabels } from '../../validation/object-meta.ts';
import { pushNegative } from './invalid-value.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { validatePodAnnotations, validateProfilesMatch } from './validate-pod-annotations.ts';
import { validatePodSpec } from './validate-pod-spec.ts';

/** All rules of a pod template. */
export function validateTemplate(template: PodTemplateSpec, path: string, opts: PodValidationOptions): FieldError[] {
  const spec = template.spec ?? { containers: [] };
  const annotations = template.metadata?.annotations;
  const specPath = at.child(path, 'spec');
  const errors = [
    ...validateLabels(template.metadata?.labels, at.child(path, 'labels')),
    ...validateAnnotations(annotations, at.child(path, 'annotations')),
    ...validatePodAnnotations(annotations, spec, at.child(path, 'annotations'), opts),
    ...validatePodSpec(spec, undefined, specPath, opts),
    ...validateProfilesMatch(annotations, spec, specPath),
  ];
  if (spec.ephemeralContainers?.length)
    errors.push(forbidden(at.child(specPath, 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
  return errors;
}

export const mismatch = '`selector` does not match template `labels`';

export const isEmptySelector = (selector: LabelSelector) =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;

/** An absent selector matches nothing; an empty one is complained about elsewhere. */
export function validateSelectorMatches(
  selector: LabelSelector | undefined,
  template: PodTemplateSpec,
  path: string,
  errors: FieldError[],
): void {
  if (selector && isEmptySelector(selector)) return;
  const labels = template.metadata?.labels;
  if (!selectorMatches(selector ?? undefined, labels ?? {})) errors.push(invalid(at.child(path, 'metadata', 'labels'), labels, mismatch));
}

/** A selector that a workload must have. Returns false when it cannot be used at all. */
export function validateRequiredSelector(selector: LabelSelector | undefined, path: string, kind: string, errors: FieldError[]): boolean {
  if (!selector) {
    errors.push(required(path));
    return true;
  }
  const own = validateLabelSelector(selector, path);
  errors.push(...own);
  if (isEmptySelector(selector)) errors.push(invalid(path, selector, `empty selector is invalid for ${kind}`));
  return own.length === 0;
}

/** Pods of a workload that runs for ever: restarted always, without a deadline. */
export function validateEndless(template: PodTemplateSpec, path: string, kind: string, errors: FieldError[]): void {
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {};
  const specPath = at.child(path, 'spec');
  if (restartPolicy !== 'Always') errors.push(notSupported(at.child(specPath, 'restartPolicy'), restartPolicy, ['Always']));
  if (activeDeadlineSeconds !== undefined)
    errors.push(forbidden(at.child(specPath, 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`));
}

export type IntOrPercent = string | number;

export function validateIntOrPercent(value: IntOrPercent, path: string, errors: FieldError[]): void {
  if (typeof value === 'number') pushNegative(errors, path, value);
  else for (const message of isPercent(value)) errors.push(invalid(path, value, message));
}

/** The number before the percent sign, or the number itself; 0 when it is neither. */
export function intOrPercentValue(value: IntOrPercent): number {
  if (typeof value === 'number') return value;
  return Number.parseInt(/^[0-9]+%?$/.test(value) ? value : '0', 10);
}

export function validateAtMost100Percent(value: IntOrPercent, path: string, errors: FieldError[]): void {
  if (typeof value === 'string' && isPercent(value).length === 0 && intOrPercentValue(value) > 100)
    errors.push(invalid(path, value, 'must not be greater than 100%'));
}

/** Counters of a status: none negative, and none of `parts` above the whole. */
export function validateCounters(status: object, names: readonly string[], parts: readonly string[], errors: FieldError[]): void {
  const counters = status as Readonly<Record<string, number | undefined>>;
  for (const name of names) pushNegative(errors, at.child('status', name), counters[name]);
  for (const name of parts)
    if ((counters[name] ?? 0) > (counters['replicas'] ?? 0))
      errors.push(invalid(at.child('status', name), counters[name], 'cannot be greater than status.replicas'));
}

export function validateCollisionCount(next: number | undefined, old: number | undefined, errors: FieldError[]): void {
  if (old !== undefined && (next === undefined || next < old))
    errors.push(invalid('status.collisionCount', next ?? 0, 'cannot be decremented'));
}
