import { goPrint, goTypeName } from '../../util/go-print.ts';
import { goQuote } from '../../util/go-quote.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import type { ListMerge, MergeType, ObjectMerge, ScalarMerge } from '../schema/merge-type.ts';
import { printElement } from './path-element.ts';
import { itemElement, resolve, TypedError } from './typed-value.ts';

/** Throws a TypedError unless the value fits the type: every field declared, no key of a list twice. */
export function validateTyped(type: MergeType, value: Json): void {
  const errors: string[] = [];
  validate(type, value, '', errors);
  if (errors.length === 1) throw new TypedError(errors[0] as string);
  if (errors.length > 1) throw new TypedError(['errors:', ...errors.map(error => `  ${error}`)].join('\n'));
}

const at = (path: string, message: string) => (path === '' ? message : `${path}: ${message}`);

function validate(type: MergeType, value: Json, path: string, errors: string[]): void {
  const as = resolve(type, value);
  if (as.type === 'object') return validateMap(as, value, path, errors);
  if (as.type === 'list') return validateList(as, value, path, errors);
  const problem = scalarProblem(as as ScalarMerge, value);
  if (problem !== undefined) errors.push(at(path, problem));
}

function validateMap(type: ObjectMerge, value: Json, path: string, errors: string[]): void {
  if (value === null) return;
  if (!isJsonObject(value)) {
    errors.push(at(path, `expected map, got &{${goPrint(value)}}`));
    return;
  }
  const map: JsonObject = value;
  for (const key of Object.keys(map)) {
    const child = type.field(key);
    if (child === undefined && !type.open) {
      errors.push(`${path}.${key}: field not declared in schema`);
      return;
    }
    validate(child ?? { type: 'untyped' }, map[key] as Json, `${path}.${key}`, errors);
  }
}

function validateList(type: ListMerge, value: Json, path: string, errors: string[]): void {
  if (value === null) return;
  if (!Array.isArray(value)) {
    errors.push(at(path, `expected list, got &{${goPrint(value)}}`));
    return;
  }
  const seen = new Set<string>();
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as Json;
    let element = `i:${i}`;
    if (type.listType !== 'atomic') {
      try {
        element = itemElement(type, item);
      } catch (error) {
        errors.push(at(path, `element ${i}: ${(error as Error).message}`));
        return;
      }
      if (seen.has(element)) errors.push(at(path, `duplicate entries for key ${printElement(element)}`));
      seen.add(element);
    }
    validate(type.element, item, path + printElement(element), errors);
  }
}

function scalarProblem(type: ScalarMerge, value: Json): string | undefined {
  if (value === null) return undefined;
  const kind = typeof value;
  const isNumber = kind === 'number' || kind === 'bigint';
  switch (type.scalar) {
    case 'number':
      return isNumber ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'string':
      return kind === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return kind === 'boolean' ? undefined : `expected boolean, got &{${goPrint(value)}}`;
    case 'any':
      return isNumber || kind === 'string' || kind === 'boolean' ? undefined : `expected any scalar, got &{${goPrint(value)}}`;
  }
}

/** A value as Go's `%#v` prints it. */
function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isJsonObject(value)) return goPrint(value);
  const entries = Object.keys(value)
    .sort()
    .map(key => `${goQuote(key)}:${goSyntax(value[key] as Json)}`);
  return `map[string]interface {}{${entries.join(', ')}}`;
}
