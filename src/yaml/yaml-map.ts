import { goQuote } from '../util/go-quote.ts';
import { YamlError } from './yaml-cursor.ts';

/** A value before it becomes JSON: keys keep their types, and floats are not integers. */
export type YamlValue = null | boolean | number | bigint | string | { readonly float: number } | YamlValue[] | YamlMap;

export class YamlMap {
  readonly entries = new Map<string, { readonly key: YamlValue; readonly value: YamlValue }>();
}

/** Keys are the same when their types are too. */
export function keyId(key: YamlValue): string {
  if (typeof key === 'object') return key === null ? 'null' : `float ${(key as { float: number }).float}`;
  return `${typeof key === 'bigint' ? 'number' : typeof key} ${key}`;
}

/** The key as JSON has it. */
export function keyText(key: YamlValue, value: YamlValue): string {
  if (key === null) throw unsupportedKey('%!s(<nil>)', '<nil>', value);
  if (typeof key === 'bigint' && key > maxSigned) throw unsupportedKey('uint64', `0x${key.toString(16)}`, value);
  if (typeof key !== 'object') return String(key);
  const { float } = key as { float: number };
  if (Number.isNaN(float)) return '.nan';
  if (!Number.isFinite(float)) return float > 0 ? '.inf' : '-.inf';
  return goFloat(Math.fround(float));
}

const maxSigned = 2n ** 63n - 1n;

function unsupportedKey(type: string, key: string, value: YamlValue): YamlError {
  return new YamlError(`unsupported map key of type: ${type}, key: ${key}, value: ${value === null ? '<nil>' : goSyntax(value)}`);
}

/** The shortest text that is the same single-precision number, as Go prints it. */
function goFloat(value: number): string {
  for (let digits = 1; digits <= 9; digits++) {
    const text = value.toExponential(digits - 1);
    if (Math.fround(Number(text)) === value) return withExponent(text);
  }
  return withExponent(value.toExponential(8));
}

const maxPlainExponent = 6;

function withExponent(text: string): string {
  const [mantissa = '', power = '0'] = text.split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < maxPlainExponent) return String(Number(text));
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}

/** A value as Go's `%#v` prints it. */
export function goSyntax(value: YamlValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (value instanceof YamlMap) {
    const members = [...value.entries.values()].map(entry => `${goSyntax(entry.key)}:${goSyntax(entry.value)}`);
    return `map[interface {}]interface {}{${members.join(', ')}}`;
  }
  return Number.isFinite(value.float) || Number.isNaN(value.float) ? String(value.float) : value.float > 0 ? '+Inf' : '-Inf';
}
