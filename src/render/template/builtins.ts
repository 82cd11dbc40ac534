import { byteLength, compareText, isAscii, sliceBytes, toBytes } from '../go/go-bytes.ts';
import { GoComplex } from '../go/go-complex.ts';
import { sprint, sprintf, sprintln } from '../go/go-format.ts';
import { anyType, isSigned, isUnsigned, reflectType, stringType, uint8Type, type GoType } from '../go/go-type.ts';
import { GoError, GoFunction, GoInt, int, isInt, isMap, isSlice, isTrue, typed, typeOf, zeroOf, type GoValue } from '../go/go-value.ts';

const one = (call: (value: GoValue) => GoValue): GoFunction => new GoFunction([reflectType], args => call(args[0]));
const two = (call: (a: GoValue, b: GoValue) => GoValue): GoFunction =>
  new GoFunction([reflectType, reflectType], args => call(args[0], args[1]));
const many = (types: readonly GoType[], call: (args: GoValue[]) => GoValue): GoFunction => new GoFunction(types, call, true);

/** The functions that every Go template has. `and` and `or` decide without calling: their arguments may not be evaluated. */
export const builtins: ReadonlyMap<string, GoFunction> = new Map<string, GoFunction>([
  ['and', many([reflectType, reflectType], args => args.at(-1))],
  ['or', many([reflectType, reflectType], args => args.at(-1))],
  ['not', one(value => !isTrue(value))],
  ['len', one(length)],
  ['index', many([reflectType, reflectType], ([item, ...keys]) => index(item, keys))],
  ['slice', many([reflectType, reflectType], ([item, ...ends]) => slice(item, ends))],
  ['call', many([reflectType, reflectType], ([target, ...args]) => callValue(target, args))],
  ['print', many([anyType], args => sprint(args))],
  ['printf', many([stringType, anyType], ([format, ...args]) => sprintf(format as string, args))],
  ['println', many([anyType], args => sprintln(args))],
  ['html', many([anyType], args => escapeHtml(joined(args)))],
  ['js', many([anyType], args => escapeJs(joined(args)))],
  ['urlquery', many([anyType], args => escapeQuery(joined(args)))],
  ['eq', many([reflectType, reflectType], ([first, ...others]) => equalsAny(first, others))],
  ['ne', two((a, b) => !equalsAny(a, [b]))],
  ['lt', two(isLess)],
  ['le', two((a, b) => isLess(a, b) || equalsAny(a, [b]))],
  ['gt', two((a, b) => !isLess(a, b) && !equalsAny(a, [b]))],
  ['ge', two((a, b) => !isLess(a, b))],
]);

function length(item: GoValue): GoInt {
  if (item === undefined) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  if (item === null) throw new GoError('len of nil pointer');
  if (typeof item === 'string') return int(byteLength(item));
  if (isSlice(item)) return int(item.length);
  if (isMap(item)) return int(item.size);
  throw new GoError(`len of type ${typeOf(item).name}`);
}

function index(start: GoValue, keys: readonly GoValue[]): GoValue {
  if (start === undefined || start === null) throw new GoError('index of untyped nil');
  let item: GoValue = start;
  for (const key of keys) {
    if (item === undefined || item === null) throw new GoError('index of nil pointer');
    if (isMap(item)) {
      if (key === undefined || key === null) throw new GoError('value is nil; should be of type string');
      if (typeof key !== 'string') throw new GoError(`value has type ${typeOf(key).name}; should be string`);
      const found: GoValue = item.get(key);
      item = found !== undefined ? found : item.goType?.elem ? zeroOf(item.goType.elem) : null;
    } else if (isSlice(item)) item = item[indexPosition(key, item.length, 'slice')];
    else if (typeof item === 'string') {
      const at = indexPosition(key, byteLength(item), 'string');
      item = new GoInt(BigInt(isAscii(item) ? item.charCodeAt(at) : toBytes(item)[at]!), uint8Type);
    } else throw new GoError(`can't index item of type ${typeOf(item).name}`);
  }
  return item;
}

function indexPosition(key: GoValue, size: number, what: 'slice' | 'string'): number {
  const at = position(key, size);
  if (at === size) throw new GoError(`reflect: ${what} index out of range`);
  return at;
}

/** An index into something of a length, or its end. */
function position(key: GoValue, size: number): number {
  if (key === undefined || key === null) throw new GoError('cannot index slice/array with nil');
  if (!isInt(key)) throw new GoError(`cannot index slice/array with type ${typeOf(key).name}`);
  const at = key.value;
  if (at < 0n || at > BigInt(size)) throw new GoError(`index out of range: ${at}`);
  return Number(at);
}

function slice(item: GoValue, ends: readonly GoValue[]): GoValue {
  if (item === undefined || item === null) throw new GoError('slice of untyped nil');
  if (ends.length > 3) throw new GoError(`too many slice indexes: ${ends.length}`);
  if (typeof item !== 'string' && !isSlice(item)) throw new GoError(`can't slice item of type ${typeOf(item).name}`);
  if (typeof item === 'string' && ends.length === 3) throw new GoError('cannot 3-index slice a string');
  const size = typeof item === 'string' ? byteLength(item) : item.length;
  const [from = 0, to = size, capacity] = ends.map(end => position(end, size));
  if (from > to) throw new GoError(`invalid slice index: ${from} > ${to}`);
  if (capacity !== undefined && to > capacity) throw new GoError(`invalid slice index: ${to} > ${capacity}`);
  if (typeof item === 'string') return sliceBytes(item, from, to);
  const part = item.slice(from, to);
  return item.goType ? typed(part, item.goType) : part;
}

/** Something that `call` was given and cannot call. */
export class NotCallable extends GoError {
  readonly typeName: string;

  constructor(typeName: string) {
    super(`non-function of type ${typeName}`);
    this.typeName = typeName;
  }
}

function callValue(target: GoValue, args: GoValue[]): GoValue {
  if (target === undefined || target === null) throw new GoError('call of nil');
  if (!(target instanceof GoFunction)) throw new NotCallable(typeOf(target).name);
  return target.call(args);
}

type Basic = 'bool' | 'int' | 'uint' | 'float' | 'complex' | 'string';

function basicKind(value: GoValue): Basic | undefined {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'float';
  if (value instanceof GoComplex) return 'complex';
  if (!isInt(value)) return undefined;
  return isSigned(value.type) ? 'int' : isUnsigned(value.type) ? 'uint' : undefined;
}

const areIntegers = (a: Basic | undefined, b: Basic | undefined): boolean => (a === 'int' && b === 'uint') || (a === 'uint' && b === 'int');

function equalsAny(first: GoValue, others: readonly GoValue[]): boolean {
  if (others.length === 0) throw new GoError('missing argument for comparison');
  return others.some(other => equals(first, other));
}

function equals(a: GoValue, b: GoValue): boolean {
  const kindA = basicKind(a);
  const kindB = basicKind(b);
  const isNilA = a === undefined || a === null;
  const isNilB = b === undefined || b === null;
  if (kindA !== kindB) {
    if (areIntegers(kindA, kindB)) return (a as GoInt).value === (b as GoInt).value;
    if (!isNilA && !isNilB) throw incompatible(a, b);
    return false;
  }
  if (kindA === 'int' || kindA === 'uint') return (a as GoInt).value === (b as GoInt).value;
  if (a instanceof GoComplex && b instanceof GoComplex) return a.real === b.real && a.imaginary === b.imaginary;
  if (kindA !== undefined) return a === b;
  if (isNilA || isNilB) return isNilA && isNilB;
  if (typeOf(a).kind !== typeOf(b).kind) {
    throw new GoError(`non-comparable types ${sprintf('%s: %v, %s: %v', [a, typeOf(a).name, typeOf(b).name, b])}`);
  }
  if (isMap(b) || isSlice(b) || b instanceof GoFunction) throw new GoError(`non-comparable type ${sprintf('%s', [b])}: ${typeOf(b).name}`);
  return a === b;
}

const incompatible = (a: GoValue, b: GoValue): GoError =>
  new GoError(`incompatible types for comparison: ${typeOf(a as string).name} and ${typeOf(b as string).name}`);

function isLess(a: GoValue, b: GoValue): boolean {
  const kindA = basicKind(a);
  const kindB = basicKind(b);
  if (kindA === undefined || kindB === undefined) throw new GoError('invalid type for comparison');
  if (kindA !== kindB && !areIntegers(kindA, kindB)) throw incompatible(a, b);
  if (kindA === 'bool' || kindA === 'complex') throw new GoError('invalid type for comparison');
  if (kindA === 'string') return compareText(a as string, b as string) < 0;
  if (kindA === 'float') return (a as number) < (b as number);
  return (a as GoInt).value < (b as GoInt).value;
}

const joined = (args: readonly GoValue[]): string => sprint(args.map(arg => (arg === null || arg === undefined ? '<no value>' : arg)));

const htmlEscapes: Readonly<Record<string, string>> = {
  '\u0000': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

const escapeHtml = (text: string): string => text.replace(/[\u0000"'&<>]/g, char => htmlEscapes[char]!);

function escapeJs(text: string): string {
  return text.replace(/[\\'"<>&=\u0000-\u001f]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, char => {
    if (char === '\\' || char === "'" || char === '"') return `\\${char}`;
    return `\\u${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

const escapeQuery = (text: string): string =>
  [...toBytes(text)]
    .map(byte => {
      const char = String.fromCharCode(byte);
      if (/[A-Za-z0-9\-_.~]/.test(char)) return char;
      return char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
