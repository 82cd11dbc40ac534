import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';
import { invalidField } from './norman-error.ts';
import type { Field, Fields } from './norman-type.ts';

/** Of what a client sent, what it may set, in the form that it should have. What it may not set is not heard. Throws 422 for what is wrong. */
export function checkFields(body: JsonObject, fields: Fields, operation: 'create' | 'update'): JsonObject {
  const checked: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field[operation] !== true || !Object.hasOwn(body, name)) continue;
    const value = body[name] ?? null;
    if (value !== null) checked[name] = checkValue(name, field, value);
    else if (isNullable(field)) checked[name] = null;
    else if (operation === 'update') throw invalidField('NotNullable', name, `${name} must have a value`);
  }
  if (operation === 'create') checkRequired(checked, fields);
  return checked;
}

function checkRequired(given: JsonObject, fields: Fields): void {
  for (const [name, { required, create }] of Object.entries(fields)) {
    if (!required || !create) continue;
    const value = given[name] ?? '';
    if (value === '') throw invalidField('MissingRequired', name, `${name} is required`);
  }
}

/** References can be unset; other fields say so. */
const isNullable = ({ nullable, type }: Field) => nullable ?? (type.startsWith('reference[') || type.startsWith('map['));

function checkValue(name: string, field: Field, value: Json): Json {
  const { type } = field;
  if (type.startsWith('array[')) return checkList(name, { ...field, type: type.slice('array['.length, -1) }, value);
  if (type.startsWith('map[')) return checkMap(name, type.slice('map['.length, -1), value);
  if (type.startsWith('reference[')) return textOf(name, value);
  switch (type) {
    case 'string':
    case 'password':
      return checkLength(name, field, textOf(name, value));
    case 'enum':
      return checkOption(name, field, textOf(name, value));
    case 'date':
      return checkDate(name, textOf(name, value));
    case 'int':
      return checkInteger(name, value);
    case 'boolean':
      return checkBoolean(name, value);
    case 'json':
      return value;
    default:
      if (isJsonObject(value)) return value;
      throw invalidField('InvalidFormat', name, `${name} must be an object`);
  }
}

function checkList(name: string, item: Field, value: Json): Json {
  if (!Array.isArray(value)) throw invalidField('InvalidFormat', name, `${name} must be a list`);
  return value.map(one => {
    if (one === null) throw invalidField('NotNullable', name, 'Individual array values can not be null');
    return checkValue(name, item, one);
  });
}

function checkMap(name: string, type: string, value: Json): Json {
  if (!isJsonObject(value)) throw invalidField('InvalidFormat', name, `${name} must be an object`);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, one === null ? null : checkValue(name, { type }, one)]));
}

function textOf(name: string, value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object') throw invalidField('InvalidFormat', name, `${name} must be a string`);
  return String(value);
}

function checkLength(name: string, { minLength = 0, maxLength = Infinity }: Field, value: string): string {
  if (value.length < minLength) throw invalidField('MinLengthExceeded', name, `${name} must have at least ${minLength} characters`);
  if (value.length > maxLength) throw invalidField('MaxLengthExceeded', name, `${name} must have at most ${maxLength} characters`);
  return value;
}

function checkOption(name: string, { options = [] }: Field, value: string): string {
  if (options.includes(value)) return value;
  throw invalidField('InvalidOption', name, `${name} must be one of ${options.join(', ')}`);
}

const datePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function checkDate(name: string, value: string): string {
  if (datePattern.test(value) && !Number.isNaN(Date.parse(value))) return value;
  throw invalidField('InvalidDateFormat', name, `${name} must be a date such as 2026-01-31T12:00:00Z`);
}

function checkInteger(name: string, value: Json): Json {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return value;
  if (typeof value === 'string' && /^-?[0-9]{1,15}$/.test(value)) return Number(value);
  throw invalidField('InvalidFormat', name, `${name} must be a whole number`);
}

function checkBoolean(name: string, value: Json): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalidField('InvalidFormat', name, `${name} must be true or false`);
}
