import { at, duplicate, invalid, required, tooMany, type FieldError } from '../../../api/field-error.ts';
import type { MatchCondition } from '../../../api/kubernetes.ts';
import { admissionTypes } from '../../admission/cel-environment.ts';
import { CelIssues } from '../../../cel/cel-issues.ts';
import { celTypes, printType, type CelType } from '../../../cel/cel-type.ts';
import { compileCel } from '../../../cel/compile-cel.ts';
import { isQualifiedName } from '../../../api/names.ts';
import { invalidFor } from '../kind-parts.ts';

export interface ExpressionScope {
  readonly hasParams: boolean;
  /** Types of the variables declared so far, by name. */
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly allowObjects?: boolean;
  readonly hasAuthorizer?: boolean;
}

interface Checked {
  readonly type?: CelType;
  readonly errors: FieldError[];
}

function typesFor({ hasParams, variables, hasAuthorizer = true }: ExpressionScope): Record<string, CelType> {
  const types: Record<string, CelType> = { namespaceObject: celTypes.dyn };
  for (const [name, type] of Object.entries(admissionTypes)) if (hasAuthorizer || !name.startsWith('authorizer')) types[name] = type;
  if (hasParams) types['params'] = celTypes.dyn;
  if (variables) types['variables'] = celTypes.object('kubernetes.variables', variables);
  return types;
}

/** Compiles an expression and checks the type of its result; `returns` is empty when any will do. */
export function checkExpression(expression: string, path: string, returns: readonly string[], scope: ExpressionScope): Checked {
  try {
    const { resultType } = compileCel(expression, { variables: typesFor(scope), allowObjects: scope.allowObjects ?? false });
    const found = printType(resultType);
    if (returns.length === 0 || returns.includes(found)) return { type: resultType, errors: [] };
    const wanted = returns.length === 1 ? `${returns[0]}` : `one of [${returns.join(' ')}]`;
    return { type: resultType, errors: [invalid(path, expression, `must evaluate to ${wanted} but got ${found}`)] };
  } catch (e) {
    if (e instanceof CelIssues) return { errors: [invalid(path, expression, `compilation failed: ${e.message}`)] };
    throw e;
  }
}

export function validateMatchConditions(conditions: readonly MatchCondition[], path: string, hasParams: boolean): FieldError[] {
  const errors: FieldError[] = conditions.length > 64 ? [tooMany(path, conditions.length, 64)] : [];
  const names = new Set<string>();
  for (const [i, { name = '', expression = '' }] of conditions.entries()) {
    const here = at.index(path, i);
    const trimmed = expression.trim();
    if (trimmed === '') errors.push(required(at.child(here, 'expression')));
    else errors.push(...checkExpression(trimmed, at.child(here, 'expression'), ['bool'], { hasParams }).errors);
    if (name === '') errors.push(required(at.child(here, 'name')));
    else errors.push(...invalidFor(at.child(here, 'name'), name, isQualifiedName(name)));
    if (name !== '' && names.has(name)) errors.push(duplicate(at.child(here, 'name'), name));
    names.add(name);
  }
  return errors;
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const isCelIdentifier = (name: string) => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name);

/** Variables in order; each may use those before it. `declared` gathers their types. */
export function validateVariables(
  variables: readonly { name?: string; expression?: string }[],
  path: string,
  hasParams: boolean,
  declared: Record<string, CelType>,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, { name = '', expression = '' }] of variables.entries()) {
    const here = at.index(path, i);
    if (name.trim() === '') errors.push(required(at.child(here, 'name'), 'name is not specified'));
    else if (!isCelIdentifier(name)) errors.push(invalid(at.child(here, 'name'), name, 'must be a valid CEL identifier'));
    if (expression.trim() === '') {
      errors.push(required(at.child(here, 'expression'), 'expression is not specified'));
      continue;
    }
    const checked = checkExpression(expression, at.child(here, 'expression'), [], { hasParams, variables: { ...declared } });
    errors.push(...checked.errors);
    if (checked.type) declared[name] = checked.type;
  }
  return errors;
}
