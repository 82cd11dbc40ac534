import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import { printNumber, quoted } from './schema-error.ts';
import { matchesPattern } from './schema-pattern.ts';

const typeNames = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];

/** What is wrong with the type of a value, or with the value where only some are allowed. */
export function typeFault(schema: JsonObject, value: Json): string | undefined {
  const { type } = schema;
  const wanted = typeNames.filter(name => (Array.isArray(type) ? type.includes(name) : type === name));
  const got = typeNameOf(value);
  const isWhole = got === 'number' && Number.isInteger(Number(value));
  if (wanted.length > 0 && !wanted.includes(got) && !(isWhole && wanted.includes('integer'))) {
    return `got ${got}, want ${wanted.join(' or ')}`;
  }
  if (schema['const'] !== undefined && !jsonEqual(schema['const'], value)) {
    return isSimple(schema['const']) ? `value must be ${display(schema['const'])}` : "'const' failed";
  }
  const allowed = schema['enum'];
  if (!Array.isArray(allowed) || allowed.some(one => jsonEqual(one, value))) return undefined;
  if (!allowed.every(isSimple)) return "'enum' failed";
  return `value must be ${allowed.length === 1 ? '' : 'one of '}${allowed.map(display).join(', ')}`;
}

const isSimple = (value: Json): boolean => !Array.isArray(value) && !isJsonObject(value);

function display(value: Json): string {
  if (typeof value === 'string') return quoted(value);
  return value === null ? '<nil>' : String(value as boolean | number | bigint);
}

function typeNameOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;

export function checkString(schema: JsonObject, value: string, add: (message: string) => void): void {
  const least = numberOf(schema['minLength']);
  const most = numberOf(schema['maxLength']);
  const { pattern } = schema;
  const { length } = [...value];
  if (least !== undefined && length < least) add(`minLength: got ${printNumber(length)}, want ${printNumber(least)}`);
  if (most !== undefined && length > most) add(`maxLength: got ${printNumber(length)}, want ${printNumber(most)}`);
  if (typeof pattern === 'string' && !matchesPattern(pattern, value)) add(`${quoted(value)} does not match pattern ${quoted(pattern)}`);
}

export function checkNumber(schema: JsonObject, value: number, add: (message: string) => void): void {
  const check = (keyword: string, limit: Json | undefined, isMet: (limit: number) => boolean): void => {
    const wanted = numberOf(limit);
    if (wanted !== undefined && !isMet(wanted)) add(`${keyword}: got ${printNumber(value)}, want ${printNumber(wanted)}`);
  };
  const { minimum, maximum } = schema;
  // Draft 4 has switches here, which make the other limits exclusive.
  const isAbove = schema['exclusiveMinimum'] === true;
  const isBelow = schema['exclusiveMaximum'] === true;
  if (!isAbove) check('minimum', minimum, limit => value >= limit);
  if (!isBelow) check('maximum', maximum, limit => value <= limit);
  check('exclusiveMinimum', isAbove ? minimum : schema['exclusiveMinimum'], limit => value > limit);
  check('exclusiveMaximum', isBelow ? maximum : schema['exclusiveMaximum'], limit => value < limit);
  check('multipleOf', schema['multipleOf'], limit => isMultiple(value, limit));
}

/** Whether a decimal is a whole multiple of another, without the error of binary division. */
function isMultiple(value: number, of: number): boolean {
  const places = Math.max(...[value, of].map(decimalPlaces));
  const scale = 10 ** places;
  return Math.round(value * scale) % Math.round(of * scale) === 0;
}

function decimalPlaces(value: number): number {
  const [digits, exponent = '0'] = String(value).split('e') as [string, string?];
  return Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent));
}
