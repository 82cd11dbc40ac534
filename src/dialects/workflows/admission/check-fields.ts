import { at, invalid, required, type FieldError } from '../../../api/field-error.ts';
import { hasExpressions } from '../expressions/render-text.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { conditionPaths } from '../expressions/condition.ts';
import { versionFilterFault } from '../triggers/version-filter.ts';

/** What is wrong with a text that is a name once its expressions are rendered. */
export function nameFaults(field: string, text: string, validate: (value: string) => readonly string[]): FieldError[] {
  const broken = expressionFaults(field, text);
  if (broken.length > 0 || hasExpressions(text)) return broken;
  return validate(text.trim()).map(why => invalid(field, text, why));
}

export function expressionFaults(field: string, text: string | undefined): FieldError[] {
  return faultsOf(field, text, () => void hasExpressions(text ?? ''));
}

export const conditionFaults = (field: string, text: string): FieldError[] => faultsOf(field, text, () => void conditionPaths(text));

function faultsOf(field: string, value: unknown, parse: () => void): FieldError[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return [invalid(field, value, error.message)];
  }
}

/** Of a filter for versions. */
export function filterFaults(field: string, filter = ''): FieldError[] {
  const fault = versionFilterFault(filter);
  return fault === undefined ? [] : [invalid(field, filter, fault)];
}

/** Exactly one of these members must be there. */
export function onlyOne(path: string, given: object, names: readonly string[]): FieldError[] {
  const found = names.filter(name => (given as Record<string, unknown>)[name] !== undefined);
  if (found.length === 1) return [];
  const detail = `exactly one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)} is needed`;
  return found.length === 0 ? [required(path, detail)] : [invalid(at.child(path, found[1]!), found.join(', '), detail)];
}

/** Variables have a value or a secret, and a name of their own. */
export function variableFaults(
  path: string,
  variables: readonly { readonly name: string; readonly value?: string; readonly secretRef?: object; readonly type?: string }[] = [],
): FieldError[] {
  const seen = new Set<string>();
  return variables.flatMap(({ name, value, secretRef, type }, i) => {
    const here = at.index(path, i);
    const isTwice = seen.has(name);
    seen.add(name);
    return [
      ...(isTwice ? [invalid(at.child(here, 'name'), name, 'there is another variable of this name')] : []),
      ...(value !== undefined && secretRef ? [invalid(at.child(here, 'value'), '', 'either value or secretRef, not both')] : []),
      ...(type === 'Encrypted' && !secretRef
        ? [required(at.child(here, 'secretRef'), 'an encrypted variable has its value in a Secret')]
        : []),
      ...expressionFaults(at.child(here, 'value'), value),
    ];
  });
}
