import type { Json, JsonObject } from '../util/json.ts';

declare const value: unique symbol;

/** A structural schema of the Kubernetes API that also knows the TypeScript type of what it describes. */
export interface Schema<T = unknown> {
  readonly [value]?: T;
  readonly json: JsonObject;
  readonly isOptional?: boolean;
}

export interface OptionalSchema<T = unknown> extends Schema<T> {
  readonly isOptional: true;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never;

type Fields = Readonly<Record<string, Schema>>;
type OptionalNames<F extends Fields> = { [N in keyof F]: F[N] extends OptionalSchema ? N : never }[keyof F];
type Flat<T> = { [N in keyof T]: T[N] } & {};
export type FieldsOf<F extends Fields> = Flat<
  { [N in Exclude<keyof F, OptionalNames<F>>]: TypeOf<F[N]> } & { [N in OptionalNames<F>]?: TypeOf<F[N]> }
>;

/** A rule in CEL that the API server enforces. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

interface TextOptions {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  default?: string;
}

interface NumberOptions {
  minimum?: number;
  maximum?: number;
  default?: number;
}

const schema = <T>(json: Record<string, Json | undefined>): Schema<T> => ({ json: json as JsonObject });

/** A field that may be absent; its description says what that means. */
export const optional = <T>(of: Schema<T>): OptionalSchema<T> => ({ ...of, isOptional: true });

export function object<const F extends Fields>(
  description: string,
  fields: F,
  options: { rules?: readonly Rule[]; default?: JsonObject } = {},
): Schema<FieldsOf<F>> {
  const required = Object.keys(fields).filter(name => !fields[name]!.isOptional);
  return schema({
    type: 'object',
    description,
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.json])),
    ...(required.length > 0 && { required }),
    ...(options.rules && { 'x-kubernetes-validations': options.rules as unknown as Json }),
    ...(options.default && { default: options.default }),
  });
}

export const text = (description: string, options: TextOptions = {}): Schema<string> => schema({ type: 'string', description, ...options });

export const time = (description: string): Schema<string> => schema({ type: 'string', format: 'date-time', description });

export const integer = (description: string, options: NumberOptions = {}): Schema<number> =>
  schema({ type: 'integer', format: 'int64', description, ...options });

export const flag = (description: string, options: { default?: boolean } = {}): Schema<boolean> =>
  schema({ type: 'boolean', description, ...options });

export const oneOf = <const V extends string>(values: readonly V[], description: string, options: { default?: V } = {}): Schema<V> =>
  schema({ type: 'string', enum: [...values], description, ...options });

export const list = <T>(description: string, of: Schema<T>, options: { minItems?: number; maxItems?: number } = {}): Schema<T[]> =>
  schema({ type: 'array', description, items: of.json, ...options });

/** A list without repetitions, merged as a set. */
export const setOf = <T>(description: string, of: Schema<T>): Schema<T[]> =>
  schema({ type: 'array', description, items: of.json, 'x-kubernetes-list-type': 'set' });

/** A list whose items are told apart by some of their fields. */
export const listMap = <T>(description: string, of: Schema<T>, keys: readonly (keyof T & string)[]): Schema<T[]> =>
  schema({
    type: 'array',
    description,
    items: of.json,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [...keys],
  });

export const mapOf = <T>(description: string, of: Schema<T>): Schema<Record<string, T>> =>
  schema({ type: 'object', description, additionalProperties: of.json });

export const intOrString = (description: string, options: Pick<TextOptions, 'pattern'> = {}): Schema<number | string> =>
  schema({ description, anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true, ...options });

/** A quantity such as `500m` or `2Gi`. */
export const quantity = intOrString;

/** Any object: unknown fields are kept as they are. */
export const anyObject = (description: string): Schema<JsonObject> =>
  schema({ type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true });

/**
 * Any object that belongs as a whole to whoever writes it. Without that, server-side apply makes a null of what it empties, at any depth, and of values a null
 * is no emptiness: it takes a default away.
 */
export const wholeObject = (description: string): Schema<JsonObject> =>
  schema({ type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' });

/** A whole Kubernetes object inside another. */
export const embeddedObject = (description: string): Schema<JsonObject> =>
  schema({ type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true });

/** Any value at all. */
export const anyValue = (description: string): Schema<Json> => schema({ description, 'x-kubernetes-preserve-unknown-fields': true });

/** Knows some fields and keeps all others: for kinds whose owners are somebody else. */
export const openObject = <const F extends Fields>(
  description: string,
  fields: F,
  options: { rules?: readonly Rule[] } = {},
): Schema<FieldsOf<F> & JsonObject> => {
  const known = object(description, fields, options);
  return schema({ ...known.json, 'x-kubernetes-preserve-unknown-fields': true });
};
