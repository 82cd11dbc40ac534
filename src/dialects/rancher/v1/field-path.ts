import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';

/** The way to a field: `metadata.labels[app.kubernetes.io/name]` has three steps. */
export type FieldPath = readonly string[];

/** Reads a path; undefined when it is none. What stands in brackets is one step, dots and all. */
export function parseFieldPath(text: string): FieldPath | undefined {
  const steps: string[] = [];
  let rest = text;
  while (rest !== '') {
    const [whole, plain, bracketed] = /^(?:\.?([^.[\]]+)|\[([^\]]+)\])/.exec(rest) ?? [];
    const step = plain ?? bracketed;
    if (whole === undefined || step === undefined || (steps.length === 0 && rest.startsWith('.'))) return undefined;
    steps.push(step);
    rest = rest.slice(whole.length);
    if (rest.startsWith('.') && rest.length === 1) return undefined;
  }
  return steps.length === 0 ? undefined : steps;
}

/** All values that a path leads to: it goes through every item of a list unless a step is the number of one. */
export function valuesAt(value: Json | undefined, path: FieldPath): Json[] {
  if (value === undefined || value === null) return [];
  const [step, ...rest] = path;
  if (step === undefined) return Array.isArray(value) ? value.flatMap(item => valuesAt(item, [])) : [value];
  if (Array.isArray(value)) {
    if (/^[0-9]+$/.test(step)) return valuesAt(value[Number(step)], rest);
    return value.flatMap(item => valuesAt(item, path));
  }
  return isJsonObject(value) && Object.hasOwn(value, step) ? valuesAt(value[step], rest) : [];
}

/** The object without one field; what does not change is shared. */
export function withoutField(obj: JsonObject, [step, ...rest]: FieldPath): JsonObject {
  if (step === undefined || !Object.hasOwn(obj, step)) return obj;
  const { [step]: present, ...others } = obj;
  if (rest.length === 0) return others;
  return isJsonObject(present) ? { ...obj, [step]: withoutField(present, rest) } : obj;
}
