import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { KustomizeError } from './kustomize-error.ts';

/** What a value must look like, as the Go struct it is read into. */
export type Shape =
  | 'string'
  | 'bool'
  | 'int'
  | 'any'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly struct: string; readonly fields: Readonly<Record<string, Shape>> };

interface Options {
  /** Numbers and booleans are taken for text where text is wanted. */
  readonly isLenient?: boolean;
  /** Fields that nobody knows are left out instead of refused. */
  readonly ignoresUnknown?: boolean;
}

/** Checks a value against its shape. Names of fields match in any case. Null is as if nothing stood there. */
export function decode<T>(value: Json, shape: Shape, options: Options = {}): T {
  return read(value, shape, '', options) as T;
}

function read(value: Json, shape: Shape, path: string, options: Options): unknown {
  if (value === null || value === undefined) return undefined;
  if (shape === 'any') return value;
  if (shape === 'string') return readText(value, path, options);
  if (shape === 'bool') return typeof value === 'boolean' ? value : mismatch(value, path, 'bool');
  if (shape === 'int') return Number.isInteger(value) || typeof value === 'bigint' ? Number(value) : mismatch(value, path, 'int64');
  if ('list' in shape) {
    if (!Array.isArray(value)) return mismatch(value, path, goType(shape));
    return value.map(item => read(item, shape.list, path, options) ?? zero(shape.list));
  }
  if (!isJsonObject(value)) return mismatch(value, path, goType(shape));
  if ('map' in shape) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, read(item, shape.map, path, options) ?? zero(shape.map)]));
  }
  return readStruct(value, shape, path, options);
}

function readStruct(value: JsonObject, { struct, fields }: Extract<Shape, { struct: string }>, path: string, options: Options): unknown {
  const known = new Map(Object.keys(fields).map(name => [name.toLowerCase(), name]));
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const name = Object.hasOwn(fields, key) ? key : known.get(key.toLowerCase());
    if (name === undefined) {
      if (options.ignoresUnknown) continue;
      throw new KustomizeError(`json: unknown field "${key}"`);
    }
    const inner = path === '' ? `${struct}.${name}` : `${path.replace(/^[^.]+/, struct)}.${name}`;
    const read_ = read(item, fields[name]!, inner, options);
    if (read_ !== undefined) result[name] = read_;
  }
  return result;
}

function readText(value: Json, path: string, { isLenient = false }: Options): string {
  if (typeof value === 'string') return value;
  if (isLenient && typeof value !== 'object') return String(value);
  return mismatch(value, path, 'string');
}

function zero(shape: Shape): unknown {
  if (shape === 'string') return '';
  if (shape === 'bool') return false;
  if (shape === 'int') return 0;
  if (shape === 'any') return null;
  return 'list' in shape ? [] : {};
}

function mismatch(value: Json, path: string, type: string): never {
  const found = Array.isArray(value)
    ? 'array'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'bigint' || typeof value === 'number'
        ? 'number'
        : typeof value;
  throw new KustomizeError(`json: cannot unmarshal ${found} into Go struct field ${path} of type ${type}`);
}

function goType(shape: Shape): string {
  if (shape === 'any') return 'interface {}';
  if (shape === 'int') return 'int64';
  if (typeof shape === 'string') return shape;
  if ('list' in shape) return `[]${goType(shape.list)}`;
  return 'map' in shape ? `map[string]${goType(shape.map)}` : `types.${shape.struct}`;
}
