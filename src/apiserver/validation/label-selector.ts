import { at, forbidden, invalid, required, type FieldError } from '../../api/field-error.ts';
import { badRequest } from '../../api/status.ts';
import { isLabelValue } from '../../api/names.ts';
import { validateLabelName, validateLabels } from './object-meta.ts';
import { parseRequirements, requirementMatches, SelectorSyntaxError, type Operator, type Requirement } from '../../api/label-query.ts';

export type { Operator, Requirement } from '../../api/label-query.ts';

type Labels = Readonly<Record<string, string>> | undefined;

/** The structured form, as objects hold it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

export interface ParsedSelector {
  readonly requirements: readonly Requirement[];
  matches(labels: Labels): boolean;
}

export interface LabelSelectorOptions {
  readonly allowInvalidValues?: boolean;
  readonly allowUnknownOperators?: boolean;
}

export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: string,
  { allowInvalidValues = false, allowUnknownOperators = false }: LabelSelectorOptions = {},
): FieldError[] {
  if (!selector) return [];
  const errors = validateLabels(selector.matchLabels, at.child(path, 'matchLabels'));
  for (const [i, expression] of (selector.matchExpressions ?? []).entries()) {
    const here = at.index(at.child(path, 'matchExpressions'), i);
    const values = expression.values ?? [];
    const { operator } = expression;
    if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
      errors.push(required(at.child(here, 'values'), "must be specified when `operator` is 'In' or 'NotIn'"));
    if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
      errors.push(forbidden(at.child(here, 'values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    if (!(operator in operators) && !allowUnknownOperators)
      errors.push(invalid(at.child(here, 'operator'), operator, 'not a valid selector operator'));
    errors.push(...validateLabelName(expression.key, at.child(here, 'key')));
    if (allowInvalidValues) continue;
    for (const [j, value] of values.entries())
      for (const problem of isLabelValue(value)) errors.push(invalid(at.index(at.child(here, 'values'), j), value, problem));
  }
  return errors;
}

/** True when a stored selector already holds values that are refused today; updates of such objects stay possible. */
export function hasInvalidLabelValue(selector: LabelSelector | undefined): boolean {
  return (selector?.matchExpressions ?? []).some(e => (e.values ?? []).some(value => isLabelValue(value).length > 0));
}

const operators: Readonly<Record<string, Operator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

/** An absent selector matches nothing, an empty one everything. */
export function selectorMatches(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  for (const key in selector.matchLabels)
    if (!labels || !Object.hasOwn(labels, key) || labels[key] !== selector.matchLabels[key]) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) =>
    requirementMatches({ key, operator: operators[operator] ?? 'exists', values }, labels),
  );
}

/** The requirements of a structured selector, sorted by key as the string form prints them. */
function requirementsOf(selector: LabelSelector | undefined): Requirement[] {
  if (!selector) return [];
  const equals = Object.entries(selector.matchLabels ?? {}).map(([key, value]): Requirement => ({ key, operator: '=', values: [value] }));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }): Requirement => ({
    key,
    operator: operators[operator] ?? 'exists',
    values,
  }));
  return [...equals, ...expressions].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Parses the query form (`a=b,c in (d,e)`). Throws StatusError 400 in the words of the API. */
export function parseLabelSelector(text: string): ParsedSelector {
  try {
    const requirements = parseRequirements(text);
    return { requirements, matches: labels => requirements.every(requirement => requirementMatches(requirement, labels)) };
  } catch (e) {
    if (e instanceof SelectorSyntaxError) throw badRequest(e.message);
    throw e;
  }
}

export function printRequirements(requirements: readonly Requirement[]): string {
  return requirements.map(printRequirement).join(',');
}

/** `<none>` when empty, as tables and scale subresources never show; callers decide. */
export const printLabelSelector = (selector: LabelSelector | undefined) => printRequirements(requirementsOf(selector));

function printRequirement({ key, operator, values }: Requirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = values.length > 1 ? [...values].sort().join(',') : (values[0] ?? '');
  return operator === 'in' || operator === 'notin' ? `${key} ${operator} (${list})` : `${key}${operator}${list}`;
}
