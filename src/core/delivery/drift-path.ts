import { isJsonObject, printJson, type Json } from '../../util/json.ts';

/** One step into an object: a field, or the item of a list that has these keys, this value, or this place. */
export type Step =
  { readonly field: string } | { readonly keys: Readonly<Record<string, Json>> } | { readonly value: Json } | { readonly index: number };

const plainField = /^[A-Za-z_][\w-]*$/;
const plainValue = /^[\w./:-]+$/;

/** As people read it: `.spec.template.spec.containers[name=web].image`, `.metadata.labels["app.kubernetes.io/name"]`. */
export function printPath(steps: readonly Step[]): string {
  return steps.map(printStep).join('');
}

function printStep(step: Step): string {
  if ('field' in step) return plainField.test(step.field) ? `.${step.field}` : `[${JSON.stringify(step.field)}]`;
  if ('index' in step) return `[${step.index}]`;
  if ('value' in step) return `[=${printValue(step.value)}]`;
  return `[${Object.entries(step.keys)
    .map(([name, value]) => `${name}=${printValue(value)}`)
    .join(',')}]`;
}

function printValue(value: Json): string {
  return typeof value === 'string' && plainValue.test(value) ? value : printJson(value);
}

/** What lies there. Undefined when there is nothing. */
export function valueAt(root: unknown, steps: readonly Step[]): unknown {
  let here: unknown = root;
  for (const step of steps) {
    here = takeStep(here, step);
    if (here === undefined) return undefined;
  }
  return here;
}

function takeStep(here: unknown, step: Step): unknown {
  if ('field' in step) return isJsonObject(here) && Object.hasOwn(here, step.field) ? here[step.field] : undefined;
  if (!Array.isArray(here)) return undefined;
  if ('index' in step) return here[step.index];
  if ('value' in step) return here.find(item => item === step.value);
  return here.find(item => hasKeys(item, step.keys));
}

export function hasKeys(item: unknown, keys: Readonly<Record<string, Json>>): boolean {
  return isJsonObject(item) && Object.entries(keys).every(([name, value]) => item[name] === value);
}
