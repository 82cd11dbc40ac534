import type { WorkflowVariable } from '../kinds/workflow.ts';
import { InputError, inputReasons } from './input-error.ts';

const numberForm = /^-?[0-9]+(\.[0-9]+)?$/;
const emailForm = /^[^\s@]+@[^\s@]+$/;

/**
 * The value of each variable of a workflow: what the run gives, else its default, in which expressions are rendered. `also` are variables of the service, to
 * which runs may give values too. Throws InputError.
 */
export function workflowVariables(
  declared: readonly WorkflowVariable[],
  given: Readonly<Record<string, string>>,
  { also, render }: { readonly also: (name: string) => boolean; readonly render: (text: string, so: Record<string, string>) => string },
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const variable of declared) {
    const value = valueOf(variable, given, text => render(text, values));
    if (value !== undefined) values[variable.name] = value;
  }
  for (const [name, value] of Object.entries(given)) {
    if (declared.some(one => one.name === name)) continue;
    if (!also(name)) throw wrong(`The workflow has no variable "${name}"`);
    values[name] = value;
  }
  return values;
}

function valueOf(
  variable: WorkflowVariable,
  given: Readonly<Record<string, string>>,
  render: (text: string) => string,
): string | undefined {
  const { name, required = false, fixed = false, default: preset } = variable;
  const wanted = Object.hasOwn(given, name) ? given[name] : undefined;
  const fallback = preset === undefined ? undefined : render(preset);
  if (fixed && wanted !== undefined && wanted !== fallback) throw wrong(`The value of variable "${name}" is fixed`);
  const value = wanted ?? fallback;
  if (required && (value === undefined || value === '')) throw wrong(`Variable "${name}" is required and has no value`);
  if (value !== undefined && (value !== '' || required)) check(variable, value);
  return value;
}

/** Whether a value can be that of the variable. Throws InputError. */
function check({ name, type = 'Text', allowedValues = [] }: WorkflowVariable, value: string): void {
  if (type === 'Number' && !numberForm.test(value.trim())) throw wrong(`The value of variable "${name}" must be a number`);
  if (type === 'Email' && !emailForm.test(value.trim())) throw wrong(`The value of variable "${name}" must be an address for mail`);
  if (allowedValues.length > 0 && !allowedValues.includes(value))
    throw wrong(`The value of variable "${name}" must be one of ${allowedValues.map(one => `"${one}"`).join(', ')}`);
}

const wrong = (message: string) => new InputError(inputReasons.invalidVariable, message);
