import { at, forbidden, invalid, required, type FieldError } from '../../../api/field-error.ts';
import type { NodeSelector, NodeSelectorRequirement } from '../../../api/kubernetes.ts';
import { isDns1123Subdomain, isLabelValue } from '../../../api/names.ts';
import { validateLabelName } from '../../validation/object-meta.ts';
import { invalidFor } from '../kind-parts.ts';

export function validateNodeSelector(selector: NodeSelector, path: string, allowInvalidValues = false): FieldError[] {
  const terms = at.child(path, 'nodeSelectorTerms');
  const list = selector.nodeSelectorTerms ?? [];
  if (list.length === 0) return [required(terms, 'must have at least one node selector term')];
  return list.flatMap((term, i) => [
    ...(term.matchExpressions ?? []).flatMap((requirement, j) =>
      validateRequirement(requirement, at.index(at.child(at.index(terms, i), 'matchExpressions'), j), allowInvalidValues),
    ),
    ...(term.matchFields ?? []).flatMap((requirement, j) =>
      validateFieldRequirement(requirement, at.index(at.child(at.index(terms, i), 'matchFields'), j)),
    ),
  ]);
}

function validateRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: string,
  allowInvalidValues: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const valuesPath = at.child(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.push(required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) errors.push(forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) errors.push(required(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else errors.push(invalid(at.child(path, 'operator'), operator, 'not a valid selector operator'));
  errors.push(...validateLabelName(key, at.child(path, 'key')));
  if (!allowInvalidValues)
    for (const [i, value] of values.entries()) errors.push(...invalidFor(at.index(valuesPath, i), value, isLabelValue(value)));
  return errors;
}

function validateFieldRequirement({ key, operator, values = [] }: NodeSelectorRequirement, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalid(at.child(path, 'operator'), operator, 'not a valid selector operator'));
  else if (values.length !== 1)
    errors.push(required(at.child(path, 'values'), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  if (key !== 'metadata.name') errors.push(invalid(at.child(path, 'key'), key, 'not a valid field selector key'));
  else
    for (const [i, value] of values.entries())
      errors.push(...invalidFor(at.index(at.child(path, 'values'), i), value, isDns1123Subdomain(value)));
  return errors;
}
