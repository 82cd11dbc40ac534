import { celTypes, type CelType } from './cel-type.ts';
import { Duration, isMap, isOpaque, Optional, Timestamp, TypeValue, Uint } from './cel-values.ts';

/** One signature of a function and what it does. A member's receiver is the first parameter. */
export interface Overload {
  readonly name: string;
  readonly isMember: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  run(args: readonly unknown[], meter: Meter): unknown;
}

/** Counts what an evaluation costs; throws CelCostError when that is too much. */
export interface Meter {
  spend(cost: number): void;
}

type Run = (args: never, meter: Meter) => unknown;

/** Reads `string.find(string): string` or `size(list<A>): int`. */
export function overload(signature: string, run: Run): Overload {
  const found = /^(?:(.+?)\.(?=[A-Za-z]+\([^)]*\):))?([\w.@!_+\-*/%<>=&|?:[\]]+?)\((.*)\): (.+)$/.exec(signature);
  if (!found) throw new Error(`not a signature: "${signature}"`);
  const [, receiver, name, params, result] = found;
  const isMember = receiver !== undefined && receiver !== '' && isTypeText(receiver);
  return {
    name: isMember || receiver === undefined ? name! : `${receiver}.${name}`,
    isMember,
    params: [...(isMember ? [parseType(receiver)] : []), ...splitTypes(params!).map(parseType)],
    result: parseType(result!),
    run: run as Overload['run'],
  };
}

const namespaces = new Set(['ip', 'format', 'sets', 'lists', 'strings', 'optional', 'jsonpatch']);
const isTypeText = (text: string): boolean => !namespaces.has(text);

function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let current = '';
  for (const char of text) {
    if (char === '<') depth++;
    if (char === '>') depth--;
    if (char === ',' && depth === 0) {
      parts.push(current.trim());
      current = '';
    } else current += char;
  }
  if (current.trim() !== '') parts.push(current.trim());
  return parts;
}

function parseType(text: string): CelType {
  const generic = /^(list|map|optional)<(.*)>$/.exec(text);
  if (generic) {
    const inner = splitTypes(generic[2]!).map(parseType);
    if (generic[1] === 'list') return celTypes.list(inner[0]!);
    return generic[1] === 'map' ? celTypes.map(inner[0]!, inner[1]!) : celTypes.optional(inner[0]!);
  }
  if (/^[A-Z]$/.test(text)) return celTypes.param(text);
  const known = celTypes[text as 'int'];
  if (typeof known === 'object') return known;
  return celTypes.opaque(text);
}

export type Bindings = Map<string, CelType>;

/** Whether a value of type `actual` may stand where `declared` is wanted; binds the type parameters of `declared`. */
export function unify(bindings: Bindings, declared: CelType, actual: CelType): boolean {
  if (declared.kind === 'param') {
    const bound = bindings.get(declared.name);
    if (!bound || bound.kind === 'dyn' || bound.kind === 'error') {
      if (!bound) bindings.set(declared.name, actual);
      return true;
    }
    if (actual.kind === 'dyn') {
      bindings.set(declared.name, actual);
      return true;
    }
    if (unify(bindings, bound, actual)) return true;
    if (!unify(bindings, actual, bound)) return false;
    bindings.set(declared.name, actual);
    return true;
  }
  if (declared.kind === 'dyn' || actual.kind === 'dyn' || declared.kind === 'error' || actual.kind === 'error') return true;
  if (actual.kind === 'simple' && actual.name === 'null_type') {
    if (declared.kind === 'simple') return ['null_type', 'timestamp', 'duration'].includes(declared.name);
    return declared.kind === 'object' || declared.kind === 'opaque';
  }
  if (declared.kind === 'simple') return actual.kind === 'simple' && actual.name === declared.name;
  if (declared.kind === 'list') return actual.kind === 'list' && unify(bindings, declared.element, actual.element);
  if (declared.kind === 'map')
    return actual.kind === 'map' && unify(bindings, declared.key, actual.key) && unify(bindings, declared.value, actual.value);
  if (declared.kind === 'optional') return actual.kind === 'optional' && unify(bindings, declared.value, actual.value);
  if (declared.kind === 'type') return actual.kind === 'type';
  return actual.kind === declared.kind && actual.name === declared.name;
}

export function substitute(bindings: Bindings, type: CelType): CelType {
  switch (type.kind) {
    case 'param':
      return bindings.get(type.name) ?? celTypes.dyn;
    case 'list':
      return celTypes.list(substitute(bindings, type.element));
    case 'map':
      return celTypes.map(substitute(bindings, type.key), substitute(bindings, type.value));
    case 'optional':
      return celTypes.optional(substitute(bindings, type.value));
    default:
      return type;
  }
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'dyn' || a.kind === 'error' || a.kind === 'type') return true;
  if (a.kind === 'list') return sameType(a.element, (b as typeof a).element);
  if (a.kind === 'map') return sameType(a.key, (b as typeof a).key) && sameType(a.value, (b as typeof a).value);
  if (a.kind === 'optional') return sameType(a.value, (b as typeof a).value);
  return a.name === (b as typeof a).name;
}

/** Whether a runtime value fits a parameter; used where static types leave it open. */
export function fits(type: CelType, value: unknown): boolean {
  switch (type.kind) {
    case 'list':
      return Array.isArray(value);
    case 'map':
    case 'object':
      return isMap(value);
    case 'optional':
      return value instanceof Optional;
    case 'opaque':
      return isOpaque(value) && value.celTypeName === type.name;
    case 'type':
      return value instanceof TypeValue;
    case 'simple':
      return fitsSimple(type.name, value);
    default:
      return true;
  }
}

function fitsSimple(name: string, value: unknown): boolean {
  switch (name) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'uint':
      return value instanceof Uint;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    default:
      return value === null;
  }
}
