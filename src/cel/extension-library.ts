import { CelError } from './cel.ts';
import { overload, type Overload } from './cel-overload.ts';
import { celCompare, celEqual, checkedInt, Duration, isMap, mapGet, mapKeys, Optional, TypeValue, Uint } from './cel-values.ts';
import { compileGoRegExp, type GoRegExp } from './go-regexp.ts';
import { printDouble, textCost, toText } from './standard-library.ts';

/** Offsets count code points; most texts are ASCII, where those are the string's own. */
// oxlint-disable-next-line no-control-regex -- the test is whether all is ASCII
const unitsOf = (text: string): string | string[] => (/^[\x00-\x7f]*$/.test(text) ? text : [...text]);
const joinUnits = (units: string | string[]): string => (typeof units === 'string' ? units : units.join(''));

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}

function indexOf(text: string, part: string, from: bigint, isLast: boolean): bigint {
  const units = unitsOf(text);
  const wanted = unitsOf(part);
  if (from < 0n || from > BigInt(units.length)) throw outOfRange(from);
  const fits = (at: number): boolean => {
    for (let i = 0; i < wanted.length; i++) if (units[at + i] !== wanted[i]) return false;
    return true;
  };
  if (isLast) {
    for (let at = Math.min(Number(from), units.length - wanted.length); at >= 0; at--) if (fits(at)) return BigInt(at);
    return -1n;
  }
  for (let at = Number(from); at + wanted.length <= units.length; at++) if (fits(at)) return BigInt(at);
  return -1n;
}

function substring(text: string, start: bigint, end: bigint | undefined): string {
  const units = unitsOf(text);
  const size = BigInt(units.length);
  const stop = end ?? size;
  if (end !== undefined && start > stop) throw new CelError(`invalid substring range. start: ${start}, end: ${stop}`);
  if (start < 0n || start > size) throw outOfRange(start);
  if (stop < 0n || stop > size) throw outOfRange(stop);
  return joinUnits(units.slice(Number(start), Number(stop)));
}

function replace(text: string, old: string, by: string, limit: bigint): string {
  if (limit < 0n) return text.replaceAll(old, () => by);
  let rest = text;
  let out = '';
  for (let left = limit; left > 0n; left--) {
    const at = rest.indexOf(old);
    if (at < 0) break;
    const skip = old === '' ? 1 : 0;
    out += rest.slice(0, at) + by + rest.slice(at, at + skip);
    rest = rest.slice(at + old.length + skip);
    if (old === '' && rest === '') break;
  }
  return out + rest;
}

function split(text: string, separator: string, limit: bigint): string[] {
  if (limit === 0n) return [];
  const parts = text.split(separator);
  if (limit < 0n || BigInt(parts.length) <= limit) return parts;
  const kept = Number(limit) - 1;
  return [...parts.slice(0, kept), parts.slice(kept).join(separator)];
}

const asciiOnly = (text: string, pattern: RegExp, shift: number): string =>
  text.replace(pattern, c => String.fromCharCode(c.charCodeAt(0) + shift));

function quote(text: string): string {
  const escapes: Record<string, string> = {
    '\x07': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
    '\\': '\\\\',
    '"': '\\"',
  };
  // oxlint-disable-next-line no-control-regex -- these are the characters to escape
  return `"${text.replace(/[\x07\x08\f\n\r\t\v\\"]/g, c => escapes[c]!)}"`;
}

const strings: readonly Overload[] = [
  overload('string.charAt(int): string', ([text, at]: [string, bigint]) => {
    const units = unitsOf(text);
    if (at < 0n || at > BigInt(units.length)) throw outOfRange(at);
    return units[Number(at)] ?? '';
  }),
  overload('string.indexOf(string): int', ([text, part]: [string, string], meter) => {
    meter.spend(textCost(text.length));
    return indexOf(text, part, 0n, false);
  }),
  overload('string.indexOf(string, int): int', ([text, part, from]: [string, string, bigint]) => indexOf(text, part, from, false)),
  overload('string.lastIndexOf(string): int', ([text, part]: [string, string], meter) => {
    meter.spend(textCost(text.length));
    return indexOf(text, part, BigInt(unitsOf(text).length), true);
  }),
  overload('string.lastIndexOf(string, int): int', ([text, part, from]: [string, string, bigint]) => indexOf(text, part, from, true)),
  overload('string.lowerAscii(): string', ([text]: [string], meter) => {
    meter.spend(textCost(text.length));
    return asciiOnly(text, /[A-Z]/g, 32);
  }),
  overload('string.upperAscii(): string', ([text]: [string], meter) => {
    meter.spend(textCost(text.length));
    return asciiOnly(text, /[a-z]/g, -32);
  }),
  overload('string.trim(): string', ([text]: [string]) => text.trim()),
  overload('string.replace(string, string): string', ([text, old, by]: [string, string, string], meter) => {
    meter.spend(textCost(text.length));
    return replaced(text, replace(text, old, by, -1n), meter);
  }),
  overload('string.replace(string, string, int): string', ([text, old, by, limit]: [string, string, string, bigint], meter) =>
    replaced(text, replace(text, old, by, limit), meter),
  ),
  overload('string.split(string): list<string>', ([text, separator]: [string, string], meter) => {
    meter.spend(textCost(text.length));
    return text.split(separator);
  }),
  overload('string.split(string, int): list<string>', ([text, separator, limit]: [string, string, bigint]) =>
    split(text, separator, limit),
  ),
  overload('string.substring(int): string', ([text, start]: [string, bigint]) => substring(text, start, undefined)),
  overload('string.substring(int, int): string', ([text, start, end]: [string, bigint, bigint]) => substring(text, start, end)),
  overload('list<string>.join(): string', ([list]: [string[]]) => list.join('')),
  overload('list<string>.join(string): string', ([list, separator]: [string[], string], meter) => {
    meter.spend(list.length);
    return list.join(separator);
  }),
  overload('string.format(list<dyn>): string', ([text, args]: [string, unknown[]]) => format(text, args)),
  overload('strings.quote(string): string', ([text]: [string]) => quote(text)),
];

function replaced(text: string, result: string, meter: { spend(cost: number): void }): string {
  meter.spend(textCost(text.length + result.length));
  return result;
}

/** `"%s has %d".format([…])`. */
function format(template: string, args: readonly unknown[]): string {
  let next = 0;
  const filled = template.replace(/%(?:%|(\.\d+)?([a-zA-Z]))/g, (clause, precision: string | undefined, verb: string | undefined) => {
    if (clause === '%%') return '%';
    if (next >= args.length) throw new CelError(`index ${next} out of range`);
    return formatOne(verb ?? '', precision === undefined ? 6 : Number(precision.slice(1)), args[next++]);
  });
  return filled;
}

function formatOne(verb: string, precision: number, arg: unknown): string {
  const isNumber = typeof arg === 'bigint' || arg instanceof Uint;
  const whole = isNumber ? (arg instanceof Uint ? arg.value : arg) : undefined;
  switch (verb) {
    case 's':
      return formatText(arg);
    case 'd':
      if (whole !== undefined) return whole.toString();
      if (typeof arg === 'number') return printDouble(arg);
      break;
    case 'f':
      if (typeof arg === 'number' || whole !== undefined) return Number(whole ?? arg).toFixed(precision);
      break;
    case 'e':
      if (typeof arg === 'number' || whole !== undefined) return scientific(Number(whole ?? arg), precision);
      break;
    case 'b':
      if (whole !== undefined) return whole.toString(2);
      if (typeof arg === 'boolean') return arg ? '1' : '0';
      break;
    case 'o':
      if (whole !== undefined) return whole.toString(8);
      break;
    case 'x':
    case 'X': {
      const hex =
        whole !== undefined
          ? whole.toString(16)
          : typeof arg === 'string'
            ? Buffer.from(arg).toString('hex')
            : arg instanceof Uint8Array
              ? Buffer.from(arg).toString('hex')
              : undefined;
      if (hex !== undefined) return verb === 'X' ? hex.toUpperCase() : hex;
      break;
    }
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
  throw new CelError(`error during formatting: no formatting function for ${typeof arg}`);
}

const superscripts: Readonly<Record<string, string>> = Object.fromEntries(
  [...'0123456789-'].map((char, i) => [char, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁻'][i]!]),
);

/** The notation of the locale en_US: 3.14×10⁰⁰. */
function scientific(value: number, precision: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential(precision).split('e');
  const digits = exponent.replace(/^[+-]/, '').padStart(2, '0');
  return `${mantissa}×10${[...`${exponent.startsWith('-') ? '-' : ''}${digits}`].map(char => superscripts[char]).join('')}`;
}

function formatText(arg: unknown): string {
  if (arg === null) return 'null';
  if (Array.isArray(arg)) return `[${arg.map(item => formatText(item)).join(', ')}]`;
  if (arg instanceof TypeValue) return arg.typeName;
  if (isMap(arg)) {
    const entries = mapKeys(arg).map(key => [formatText(key), formatText(mapGet(arg, key))] as const);
    return `{${entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${key}: ${value}`)
      .join(', ')}}`;
  }
  if (typeof arg === 'number')
    return Number.isFinite(arg) ? printDouble(arg) : Number.isNaN(arg) ? 'NaN' : arg > 0 ? 'Infinity' : '-Infinity';
  return toText(arg);
}

const orderedTypes = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

function extreme(name: string, wanted: number): (args: [unknown[]]) => unknown {
  return ([list]) => {
    if (list.length === 0) throw new CelError(`${name} called on empty list`);
    return list.reduce((best, item) => (Math.sign(celCompare(item, best)) === wanted ? item : best));
  };
}

function sum(list: readonly unknown[], zero: unknown): unknown {
  return list.reduce((total, item) => {
    if (typeof total === 'bigint' && typeof item === 'bigint') return checkedInt(total + item);
    if (typeof total === 'number' && typeof item === 'number') return total + item;
    if (total instanceof Uint && item instanceof Uint) return new Uint(total.value + item.value);
    if (total instanceof Duration && item instanceof Duration) return new Duration(checkedInt(total.nanos + item.nanos));
    throw new CelError('no such overload');
  }, zero);
}

const zeros: Readonly<Record<string, unknown>> = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) };

function flatten(list: readonly unknown[], depth: bigint): unknown[] {
  return list.flatMap(item => (Array.isArray(item) ? (depth > 1n ? flatten(item, depth - 1n) : item) : [item]));
}

function distinct(list: readonly unknown[], meter: { spend(cost: number): void }): unknown[] {
  const kept: unknown[] = [];
  for (const item of list) {
    meter.spend(kept.length);
    if (!kept.some(other => celEqual(other, item))) kept.push(item);
  }
  return kept;
}

function slice(list: readonly unknown[], start: bigint, end: bigint): unknown[] {
  if (start < 0n || end < 0n) throw new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end) throw new CelError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.length)) throw new CelError(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

const includesAll = (outer: readonly unknown[], inner: readonly unknown[]): boolean =>
  inner.every(item => outer.some(other => celEqual(other, item)));

const lists: readonly Overload[] = [
  ...orderedTypes.flatMap(type => [
    overload(`list<${type}>.isSorted(): bool`, ([list]: [unknown[]]) =>
      list.every((item, i) => i === 0 || celCompare(list[i - 1], item) <= 0),
    ),
    overload(`list<${type}>.max(): ${type}`, extreme('max', 1)),
    overload(`list<${type}>.min(): ${type}`, extreme('min', -1)),
    overload(`list<${type}>.sort(): list<${type}>`, ([list]: [unknown[]]) => list.toSorted(celCompare)),
  ]),
  ...Object.entries(zeros).map(([type, zero]) => overload(`list<${type}>.sum(): ${type}`, ([list]: [unknown[]]) => sum(list, zero))),
  overload('list<A>.indexOf(A): int', ([list, item]: [unknown[], unknown]) => BigInt(list.findIndex(other => celEqual(other, item)))),
  overload('list<A>.lastIndexOf(A): int', ([list, item]: [unknown[], unknown]) =>
    BigInt(list.findLastIndex(other => celEqual(other, item))),
  ),
  overload('list<A>.slice(int, int): list<A>', ([list, start, end]: [unknown[], bigint, bigint]) => slice(list, start, end)),
  overload('list<list<A>>.flatten(): list<A>', ([list]: [unknown[]]) => flatten(list, 1n)),
  overload('list<dyn>.flatten(int): list<dyn>', ([list, depth]: [unknown[], bigint]) => {
    if (depth < 0n) throw new CelError('level must be non-negative');
    return flatten(list, depth);
  }),
  overload('list<A>.distinct(): list<A>', ([list]: [unknown[]], meter) => distinct(list, meter)),
  overload('list<A>.reverse(): list<A>', ([list]: [unknown[]]) => list.toReversed()),
  overload('list<A>.first(): optional<A>', ([list]: [unknown[]]) => (list.length === 0 ? Optional.none : new Optional(list[0]))),
  overload('list<A>.last(): optional<A>', ([list]: [unknown[]]) => (list.length === 0 ? Optional.none : new Optional(list.at(-1)))),
  overload('lists.range(int): list<int>', ([count]: [bigint], meter) => {
    meter.spend(Number(count));
    return Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i));
  }),
  overload('sets.contains(list<A>, list<A>): bool', ([outer, inner]: [unknown[], unknown[]], meter) => {
    meter.spend(outer.length * inner.length);
    return includesAll(outer, inner);
  }),
  overload('sets.equivalent(list<A>, list<A>): bool', ([a, b]: [unknown[], unknown[]], meter) => {
    meter.spend(2 * a.length * b.length);
    return includesAll(a, b) && includesAll(b, a);
  }),
  overload('sets.intersects(list<A>, list<A>): bool', ([a, b]: [unknown[], unknown[]], meter) => {
    meter.spend(a.length * b.length);
    return a.some(item => b.some(other => celEqual(other, item)));
  }),
];

function regExp(pattern: string): GoRegExp {
  try {
    return compileGoRegExp(pattern);
  } catch (cause) {
    throw new CelError(`Illegal regex: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

const regexes: readonly Overload[] = [
  overload('string.find(string): string', ([text, pattern]: [string, string], meter) => {
    meter.spend(textCost(text.length) * Math.max(1, Math.ceil(pattern.length * 0.25)));
    return regExp(pattern).find(text) ?? '';
  }),
  overload('string.findAll(string): list<string>', ([text, pattern]: [string, string], meter) => {
    meter.spend(textCost(text.length) * Math.max(1, Math.ceil(pattern.length * 0.25)));
    return regExp(pattern).findAll(text, -1);
  }),
  overload('string.findAll(string, int): list<string>', ([text, pattern, limit]: [string, string, bigint], meter) => {
    meter.spend(textCost(text.length) * Math.max(1, Math.ceil(pattern.length * 0.25)));
    return regExp(pattern).findAll(text, Number(limit));
  }),
];

export const extensionFunctions: readonly Overload[] = [...strings, ...lists, ...regexes];
