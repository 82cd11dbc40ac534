import { goPrint, goTypeName } from '../../util/go-print.ts';
import { goQuote } from '../../util/go-quote.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { sharedItems } from '../../util/shared-items.ts';
import type { ListMerge, MergeType, ObjectMerge, ScalarMerge } from '../schema/merge-type.ts';
import { printElement } from './path-element.ts';
import { itemElement, resolve, TypedError, untyped } from './typed-value.ts';

/** Atomic lists that have been found to fit, which never change, and the type they fit. */
const fitting = new WeakMap<Json[], ListMerge>();

/**
 * Throws a TypedError unless the value fits the type: every field declared, no key of a list twice. `live` is what is there now: the items that a long list has in
 * common with it are not looked at twice.
 */
export function validateTyped(type: MergeType, value: Json, live?: Json): void {
  const errors = problemsOf(type, value, live).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (errors.length === 1) throw new TypedError(errors[0] as string);
  if (errors.length > 1) throw new TypedError(['errors:', ...errors.map(error => `  ${error}`)].join('\n'));
}

/** Paths begin at the value that was looked at, so that values without problems have none made. */
interface Problem {
  readonly path: string;
  readonly message: string;
}

const none: readonly Problem[] = [];
const here = (message: string): Problem[] => [{ path: '', message }];

function problemsOf(type: MergeType, value: Json, live: Json | undefined): readonly Problem[] {
  const as = resolve(type, value);
  if (as.type === 'object') return problemsOfMap(as, value, live);
  if (as.type === 'list') return as.listType === 'atomic' ? problemsOfAtomic(as, value, live) : problemsOfList(as, value);
  const problem = scalarProblem(as as ScalarMerge, value);
  return problem === undefined ? none : here(problem);
}

function problemsOfMap(type: ObjectMerge, value: Json, live: Json | undefined): readonly Problem[] {
  if (value === null) return none;
  if (!isJsonObject(value)) return here(`expected map, got &{${goPrint(value)}}`);
  const map: JsonObject = value;
  const before = isJsonObject(live) ? live : undefined;
  let found: Problem[] | undefined;
  for (const key in map) {
    const child = type.field(key);
    if (child === undefined && !type.open) {
      (found ??= []).push({ path: `.${key}`, message: 'field not declared in schema' });
      break;
    }
    for (const { path, message } of problemsOf(child ?? untyped, map[key] as Json, before?.[key]))
      (found ??= []).push({ path: `.${key}${path}`, message });
  }
  return found ?? none;
}

function problemsOfAtomic(type: ListMerge, value: Json, live: Json | undefined): readonly Problem[] {
  if (value === null) return none;
  if (!Array.isArray(value)) return here(notAList(value));
  if (fitting.get(value) === type) return none;
  const fits = Array.isArray(live) && fitting.get(live) === type ? sharedItems(live) : undefined;
  let found: Problem[] | undefined;
  for (let i = 0; i < value.length; i++) {
    if (fits?.(value[i])) continue;
    for (const { path, message } of problemsOf(type.element, value[i] as Json, undefined))
      (found ??= []).push({ path: printElement(`i:${i}`) + path, message });
  }
  if (!found && value.length >= longList) fitting.set(value, type);
  return found ?? none;
}

const longList = 64;
const notAList = (value: Json): string => `expected list, got &{${goPrint(value)}}`;

function problemsOfList(type: ListMerge, value: Json): readonly Problem[] {
  if (value === null) return none;
  if (!Array.isArray(value)) return here(notAList(value));
  const seen = new Set<string>();
  let found: Problem[] | undefined;
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as Json;
    let element: string;
    try {
      element = itemElement(type, item);
    } catch (error) {
      (found ??= []).push({ path: '', message: `element ${i}: ${(error as Error).message}` });
      break;
    }
    if (seen.has(element)) (found ??= []).push({ path: '', message: `duplicate entries for key ${printElement(element)}` });
    seen.add(element);
    for (const { path, message } of problemsOf(type.element, item, undefined))
      (found ??= []).push({ path: printElement(element) + path, message });
  }
  return found ?? none;
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
