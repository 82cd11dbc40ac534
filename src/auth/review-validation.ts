import { at, forbidden, invalid, required, type FieldError } from '../api/field-error.ts';
import type { ResourceAttributes, SubjectAccessReviewSpec } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/object.ts';
import { parseFieldSelector } from '../apiserver/validation/field-selector.ts';
import { parseLabelSelector, validateLabelSelector } from '../apiserver/validation/label-selector.ts';

interface SelectorAttributes {
  rawSelector?: string;
  requirements?: { key?: string; operator?: string; values?: string[] }[];
}

/** The rules of SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview. */
export function validateAccessReview(obj: KubeObject): FieldError[] {
  const spec = (obj['spec'] ?? {}) as SubjectAccessReviewSpec;
  const isLocal = obj.kind === 'LocalSubjectAccessReview';
  const errors = validateSpec(spec, obj.kind === 'SelfSubjectAccessReview');
  if (!isEmptyMetadata(obj, isLocal))
    errors.push(invalid('metadata', obj.metadata, isLocal ? 'must be empty except for namespace' : 'must be empty'));
  if (!isLocal) return errors;

  const namespace = spec.resourceAttributes?.namespace ?? '';
  if (spec.resourceAttributes && namespace !== (obj.metadata.namespace ?? ''))
    errors.push(invalid('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace'));
  if (spec.nonResourceAttributes)
    errors.push(invalid('spec.nonResourceAttributes', printInternal(spec.nonResourceAttributes), 'disallowed on this kind of request'));
  return errors;
}

function validateSpec(spec: SubjectAccessReviewSpec, isSelf: boolean): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const errors: FieldError[] = [];
  if (resourceAttributes && nonResourceAttributes)
    errors.push(
      invalid(
        'spec.nonResourceAttributes',
        printInternal(nonResourceAttributes),
        'cannot be specified in combination with resourceAttributes',
      ),
    );
  if (!resourceAttributes && !nonResourceAttributes)
    errors.push(
      invalid('spec.resourceAttributes', undefined, 'exactly one of nonResourceAttributes or resourceAttributes must be specified'),
    );
  if (!isSelf && (spec.user ?? '') === '' && (spec.groups ?? []).length === 0)
    errors.push(invalid('spec.user', '', 'at least one of user or group must be specified'));
  errors.push(
    ...validateFieldSelector(resourceAttributes?.fieldSelector as SelectorAttributes | undefined, 'spec.resourceAttributes.fieldSelector'),
  );
  errors.push(
    ...validateLabelSelectorAttributes(
      resourceAttributes?.labelSelector as SelectorAttributes | undefined,
      'spec.resourceAttributes.labelSelector',
    ),
  );
  return errors;
}

/** Messages show the field names of Go, because the real server prints its internal type. */
function printInternal({ path = '', verb = '' }: { path?: string; verb?: string }) {
  return { Path: path, Verb: verb };
}

function isEmptyMetadata({ metadata }: KubeObject, mayHaveNamespace: boolean): boolean {
  return Object.entries(metadata).every(
    ([key, value]) => key === 'managedFields' || (mayHaveNamespace && key === 'namespace') || value === undefined || value === '',
  );
}

function validateOneForm({ rawSelector = '', requirements = [] }: SelectorAttributes, path: string): FieldError[] {
  if (rawSelector !== '' && requirements.length > 0)
    return [invalid(at.child(path, 'rawSelector'), rawSelector, 'may not specified at the same time as requirements')];
  if (rawSelector === '' && requirements.length === 0)
    return [required(at.child(path, 'requirements'), `when ${path} is specified, requirements or rawSelector is required`)];
  return [];
}

function validateFieldSelector(selector: SelectorAttributes | undefined, path: string): FieldError[] {
  if (!selector) return [];
  const errors = validateOneForm(selector, path);
  for (const [i, { key = '', operator = '', values = [] }] of (selector.requirements ?? []).entries()) {
    const here = at.index(at.child(path, 'requirements'), i);
    if (key === '') errors.push(required(at.child(here, 'key'), 'must be specified'));
    if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
      errors.push(required(at.child(here, 'values'), "must be specified when `operator` is 'In' or 'NotIn'"));
    if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
      errors.push(forbidden(at.child(here, 'values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  }
  return errors;
}

function validateLabelSelectorAttributes(selector: SelectorAttributes | undefined, path: string): FieldError[] {
  if (!selector) return [];
  const matchExpressions = (selector.requirements ?? []).map(({ key = '', operator = '', values }) => ({
    key,
    operator,
    ...(values && { values }),
  }));
  const errors = validateLabelSelector({ matchExpressions }, path, { allowUnknownOperators: true });
  return [
    ...validateOneForm(selector, path),
    ...errors.map(e => ({ ...e, field: e.field.replace('.matchExpressions[', '.requirements[') })),
  ];
}

const labelOperators = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/** Selectors narrow what is asked; those that cannot be read are left out of the question, and the answer says so. */
export function selectorProblems(attributes: ResourceAttributes | undefined): string[] {
  const problems: string[] = [];
  const field = attributes?.fieldSelector as SelectorAttributes | undefined;
  const label = attributes?.labelSelector as SelectorAttributes | undefined;
  const isGoodField = ({ operator = '', values = [] }: { operator?: string; values?: string[] }) =>
    values.length === 1 && (operator === 'In' || operator === 'NotIn');
  if (field) problems.push(...describe('fieldSelector', field, parseFieldSelector, isGoodField));
  if (label) problems.push(...describe('labelSelector', label, parseLabelSelector, r => labelOperators.has(r.operator ?? '')));
  return problems;
}

function describe(
  name: string,
  { rawSelector = '', requirements = [] }: SelectorAttributes,
  parse: (text: string) => unknown,
  isGood: (requirement: { operator?: string; values?: string[] }) => boolean,
): string[] {
  const text = (how: string) => [`spec.resourceAttributes.${name} ${how} due to parse error`];
  if (rawSelector !== '' && !canParse(parse, rawSelector)) return text('ignored');
  const good = requirements.filter(isGood).length;
  if (good === requirements.length) return [];
  return text(good > 0 ? 'partially ignored' : 'ignored');
}

function canParse(parse: (text: string) => unknown, value: string): boolean {
  try {
    parse(value);
    return true;
  } catch {
    return false;
  }
}
