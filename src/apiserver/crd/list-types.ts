import { at, duplicate, invalid, type FieldError } from '../../api/field-error.ts';
import { isJsonObject, printJson, type Json, type JsonObject } from '../../util/json.ts';
import { itemsOf, propertyOf, schemaHas, valuesOf, type SchemaProps } from './schema-props.ts';

const hasListTypes = new WeakMap<SchemaProps, boolean>();

function matters(schema: SchemaProps): boolean {
  let known = hasListTypes.get(schema);
  if (known === undefined) {
    known = schemaHas(schema, ({ 'x-kubernetes-list-type': type }) => type === 'set' || type === 'map');
    hasListTypes.set(schema, known);
  }
  return known;
}

/** Lists of type set and map hold every item, or every key, once. */
export function validateListTypes(value: Json | undefined, schema: SchemaProps, path = ''): FieldError[] {
  if (typeof value !== 'object' || value === null || !matters(schema)) return [];
  if (Array.isArray(value)) return validateList(value, schema, path);
  const values = valuesOf(schema);
  return Object.entries(value).flatMap(([key, member]) => {
    const property = propertyOf(schema, key);
    if (property) return validateListTypes(member, property, at.child(path, key));
    return values ? validateListTypes(member, values, at.key(path, key)) : [];
  });
}

function validateList(list: readonly Json[], schema: SchemaProps, path: string): FieldError[] {
  const items = itemsOf(schema);
  const type = schema['x-kubernetes-list-type'];
  const own =
    type === 'set'
      ? repeated(list).map(i => duplicate(at.index(path, i), list[i]))
      : type === 'map'
        ? validateKeys(list, schema, path)
        : [];
  return [...own, ...(items ? list.flatMap((item, i) => validateListTypes(item, items, at.index(path, i))) : [])];
}

function validateKeys(list: readonly Json[], schema: SchemaProps, path: string): FieldError[] {
  const wrong = list.findIndex(item => item !== null && !isJsonObject(item));
  if (wrong >= 0) return [invalid(at.index(path, wrong), list[wrong], 'must be an object for an array of list-type map')];
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  const keys = list.map(item => keysOf(item, names));
  return repeated(keys).map(i => duplicate(at.index(path, i), keys[i]));
}

function keysOf(item: Json, names: readonly string[]): JsonObject {
  const keys: JsonObject = {};
  if (isJsonObject(item)) for (const name of names) if (item[name] !== undefined) keys[name] = item[name];
  return keys;
}

/** Where each repeated item appears for the second time. */
function repeated(list: readonly Json[]): number[] {
  if (list.length <= 1) return [];
  const seen = new Map<string, number>();
  const found: number[] = [];
  list.forEach((item, i) => {
    const form = canonical(item);
    const times = seen.get(form) ?? 0;
    seen.set(form, times + 1);
    if (times === 1) found.push(i);
  });
  return found;
}

function canonical(value: Json): string {
  if (!isJsonObject(value)) return Array.isArray(value) ? `[${value.map(canonical).join(',')}]` : printJson(value);
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonical(value[key]!)}`);
  return `{${members.join(',')}}`;
}
