import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { structByName } from '../facts/facts.ts';
import { goNameOf } from '../facts/read-structs.ts';
import { GoJsonError, GoTypeError } from './go-json-error.ts';
import type { GoField, GoList, GoMap, GoScalar, GoStruct, GoType } from './go-type.ts';
import { ShapeContext, type FieldStep } from './shape-context.ts';
import { scalarReader, zeroScalars, type Read } from './shape-scalar.ts';

/**
 * The object as Go would decode and print it again: fields in Go's order, unknown ones dropped, zero values left out or filled in as
 * the tags of the struct say, quantities and times in their canonical form. `problems` collects `unknown field "spec.foo"`. Throws GoJsonError with Go's words on wrong types. Shares raw JSON with the body and nothing else.
 */
export function shapeObject(struct: GoStruct, body: JsonObject, problems: string[]): JsonObject {
  const ctx = new ShapeContext(problems);
  const shaped = compiled(struct).read(body, ctx);
  ctx.throwFirstError();
  return shaped as JsonObject;
}

/** What Go prints for the zero value of a struct. */
export function zeroOfStruct(struct: GoStruct): JsonObject {
  return compiled(struct).zero();
}

interface CompiledStruct {
  readonly read: Read;
  readonly zero: () => JsonObject;
}

interface CompiledField {
  readonly step: FieldStep;
  readonly read: Read;
  /** What is printed when the field is not set. */
  readonly absent: () => Json | undefined;
  readonly isLeftOut: (value: Json) => boolean;
}

const cache = new WeakMap<GoStruct, CompiledStruct>();

function compiled(struct: GoStruct): CompiledStruct {
  let found = cache.get(struct);
  if (!found) cache.set(struct, (found = compileStruct(struct)));
  return found;
}

/** Fields are compiled when a value first meets the struct, because structs may contain themselves. */
function compileStruct(struct: GoStruct): CompiledStruct {
  const goName = goNameOf(struct);
  let fields: readonly CompiledField[] | undefined;
  let indexes: Map<string, number>;
  const prepare = () => {
    indexes = new Map(struct.fields.map((field, index) => [field.name, index]));
    return (fields = struct.fields.map(field => compileField(struct, field)));
  };

  const read: Read = (value, ctx) => {
    if (!isJsonObject(value)) {
      ctx.addTypeError(value, goName);
      return undefined;
    }
    const all = fields ?? prepare();
    const found = new Array<Json | undefined>(all.length);
    for (const key in value) {
      const index = indexes.get(key);
      if (index === undefined) {
        if (value[key] !== undefined) ctx.addUnknownField(key);
        continue;
      }
      const item = value[key];
      if (item === null || item === undefined) continue;
      const field = all[index]!;
      ctx.path.push(field.step);
      found[index] = field.read(item, ctx);
      ctx.path.pop();
    }
    return print(all, found);
  };
  return { read, zero: () => print(fields ?? prepare(), []) };
}

function print(fields: readonly CompiledField[], found: readonly (Json | undefined)[]): JsonObject {
  const out: JsonObject = {};
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]!;
    const value = found[i];
    if (value === undefined) {
      const absent = field.absent();
      if (absent !== undefined) out[field.step.name] = absent;
    } else if (!field.isLeftOut(value)) out[field.step.name] = value;
  }
  return out;
}

function compileField(struct: GoStruct, field: GoField): CompiledField {
  return {
    step: { name: field.name, owner: struct.goName, embedded: field.embedded ?? [] },
    read: reader(field.type),
    absent: absentValue(field),
    isLeftOut: leftOut(field),
  };
}

function absentValue({ type, isPointer, omitEmpty, omitZero }: GoField): () => Json | undefined {
  const nothing = () => undefined;
  const none = () => null;
  if (omitZero) return nothing;
  if (isPointer || type.type === 'list' || type.type === 'map') return omitEmpty ? nothing : none;
  if (type.type === 'struct') return () => compiled(type).zero();
  if (omitEmpty && !isGoStruct(type)) return nothing;
  const zero = zeroScalars[type.scalar];
  return () => zero;
}

/** Scalars that are structs to Go's encoder: `omitempty` does not concern them. */
function isGoStruct({ scalar }: GoScalar): boolean {
  return !['string', 'bool', 'int32', 'int64', 'uint32', 'uint64', 'float32', 'float64', 'bytes'].includes(scalar);
}

function leftOut({ type, isPointer, omitEmpty, omitZero }: GoField): (value: Json) => boolean {
  if (isPointer || type.type === 'struct') return () => false;
  if (omitZero) return value => value === null;
  if (!omitEmpty) return () => false;
  if (type.type !== 'scalar') return isEmpty;
  if (isGoStruct(type)) return () => false;
  return value => value === '' || value === 0 || value === false;
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value as JsonObject) return false;
  return true;
}

function reader(type: GoType): Read {
  switch (type.type) {
    case 'struct':
      return (value, ctx) => compiled(type).read(value, ctx);
    case 'list':
      return listReader(type);
    case 'map':
      return mapReader(type);
    case 'scalar':
      return type.scalar.startsWith('schemaOr') ? schemaReader(type) : scalarReader(type);
  }
}

/** A null among the elements is the zero value of their type. */
function elementZero(type: GoType): () => Json {
  if (type.type === 'struct') return () => compiled(type).zero();
  if (type.type !== 'scalar') return () => null;
  const zero = type.scalar === 'bytes' ? '' : zeroScalars[type.scalar];
  return () => zero;
}

function listReader(type: GoList): Read {
  const element = reader(type.element);
  const zero = elementZero(type.element);
  const goName = goNameOf(type);
  return (value, ctx) => {
    if (!Array.isArray(value)) {
      ctx.addTypeError(value, goName);
      return undefined;
    }
    const out = new Array<Json>(value.length);
    for (let i = 0; i < value.length; i++) {
      ctx.path.push(i);
      const item = value[i]!;
      out[i] = (item === null ? undefined : element(item, ctx)) ?? zero();
      ctx.path.pop();
    }
    return out;
  };
}

/** Go prints maps sorted by key. */
function mapReader(type: GoMap): Read {
  const element = reader(type.element);
  const zero = elementZero(type.element);
  const goName = goNameOf(type);
  return (value, ctx) => {
    if (!isJsonObject(value)) {
      ctx.addTypeError(value, goName);
      return undefined;
    }
    const out: JsonObject = {};
    for (const key of sortedKeys(value)) {
      ctx.path.push(key);
      const item = value[key]!;
      setOwn(out, key, (item === null ? undefined : element(item, ctx)) ?? zero());
      ctx.path.pop();
    }
    return out;
  };
}

function sortedKeys(value: JsonObject): string[] {
  const keys: string[] = [];
  let isSorted = true;
  for (const key in value) {
    if (value[key] === undefined) continue;
    if (keys.length > 0 && keys[keys.length - 1]! > key) isSorted = false;
    keys.push(key);
  }
  return isSorted ? keys : keys.sort();
}

/** A plain assignment to `__proto__` would change the object's prototype instead. */
function setOwn(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else target[key] = value;
}

/** Places where JSONSchemaProps stand beside something else decode them on their own, and are silent about unknown fields there. */
function schemaReader({ scalar }: GoScalar): Read {
  const schema = (value: Json, ctx: ShapeContext) => {
    const struct = structByName('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')!;
    return nested(ctx, () => shapeObject(struct, value as JsonObject, []));
  };
  return (value, ctx) => {
    if (isJsonObject(value)) return schema(value, ctx);
    switch (scalar) {
      case 'schemaOrBool':
        if (typeof value !== 'boolean') throw new GoJsonError('boolean or JSON schema expected');
        return value;
      case 'schemaOrStrings':
        if (!Array.isArray(value) || value.length === 0) return null;
        return nested(ctx, () => readStrings(value));
      default:
        if (!Array.isArray(value) || value.length === 0) return null;
        return nested(ctx, () => value.map(item => (isJsonObject(item) ? schema(item, ctx) : {})));
    }
  };
}

function readStrings(value: Json[]): Json {
  const ctx = new ShapeContext([]);
  const strings = listReader({ type: 'list', goName: '[]string', element: { type: 'scalar', scalar: 'string', goName: 'string' } })(
    value,
    ctx,
  );
  ctx.throwFirstError();
  return strings!;
}

/** An error of a decoder within the decoder is said with the outer path before its own. */
function nested(ctx: ShapeContext, read: () => Json): Json {
  try {
    return read();
  } catch (error) {
    if (error instanceof GoTypeError) throw ctx.typeError(error.value, error.goType, error.path);
    throw error;
  }
}
