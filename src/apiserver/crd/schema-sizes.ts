import { escapeFieldName } from '../../cel/cel-type.ts';
import type { SizeOfPath } from '../../cel/estimate-cost.ts';
import { isEmbedded, isIntOrString, itemsOf, oncePerSchema, valuesOf, withResourceProperties, type SchemaProps } from './schema-props.ts';

/** How large values of a schema may be in an object that a request can hold. */
interface Sizes {
  /** Bytes of a text, items of a list, entries of a map; 0 for everything else. */
  readonly max: number;
  /** The fewest bytes that a value takes in JSON. */
  readonly minBytes: number;
  readonly fields?: ReadonlyMap<string, Sizes>;
  readonly element?: Sizes;
  readonly isMap?: boolean;
}

const maxRequestBytes = 3 * 1024 * 1024;
const maxText = maxRequestBytes - 2;
const key: Sizes = { max: 0, minBytes: 2 };

const knownSizes = oncePerSchema(convert);
const sizesOf = (schema: SchemaProps, isResourceRoot = isEmbedded(schema)): Sizes | undefined => knownSizes(schema, isResourceRoot);

function convert(schema: SchemaProps, isResourceRoot: boolean): Sizes | undefined {
  const { maxLength } = schema;
  if (isIntOrString(schema)) return { max: maxLength === undefined ? maxText : atLeastZero(maxLength) * 4, minBytes: 1 };
  if (isResourceRoot) return objectSizes(withResourceProperties(schema));
  switch (schema.type) {
    case 'array': {
      const items = itemsOf(schema);
      const element = items && sizesOf(items);
      if (!element) return undefined;
      const max = schema.maxItems === undefined ? Math.floor(maxText / (element.minBytes + 1)) : atLeastZero(schema.maxItems);
      return { max, minBytes: 2, element };
    }
    case 'object': {
      const values = valuesOf(schema);
      if (!values) return objectSizes(schema);
      const element = sizesOf(values);
      if (!element) return undefined;
      const max = schema.maxProperties === undefined ? Math.floor(maxText / (element.minBytes + 6)) : atLeastZero(schema.maxProperties);
      return { max, minBytes: 2, element, isMap: true };
    }
    case 'string':
      return textSizes(schema);
    case 'boolean':
      return { max: 0, minBytes: 4 };
    case 'number':
    case 'integer':
      return { max: 0, minBytes: 1 };
    default:
      return undefined;
  }
}

function textSizes({ format, maxLength, enum: values = [] }: SchemaProps): Sizes {
  switch (format) {
    case 'byte':
      return { max: maxLength === undefined ? maxText : atLeastZero(maxLength), minBytes: 2 };
    case 'duration':
      return { max: 32, minBytes: 3 };
    case 'date':
      return { max: 12, minBytes: 12 };
    case 'date-time':
      return { max: 32, minBytes: 21 };
  }
  // A character may take four bytes.
  if (maxLength !== undefined) return { max: atLeastZero(maxLength) * 4, minBytes: 2 };
  const longest = values.reduce<number>((max, value) => (typeof value === 'string' ? Math.max(max, Buffer.byteLength(value)) : max), 0);
  return { max: values.length > 0 ? longest : maxText, minBytes: 2 };
}

function objectSizes({ properties = {}, required }: SchemaProps): Sizes {
  const needed = new Set(required);
  const fields = new Map<string, Sizes>();
  let minBytes = 2;
  for (const [name, property] of Object.entries(properties)) {
    const sizes = sizesOf(property);
    if (!sizes) continue;
    const escaped = escapeFieldName(name);
    if (escaped !== undefined) fields.set(escaped, sizes);
    if (needed.has(name) && property.default === undefined) minBytes += Buffer.byteLength(name) + sizes.minBytes + 4;
  }
  return { max: 0, minBytes, fields };
}

/** Limits beyond 2^53 are bigints: how far beyond does not matter here. */
const atLeastZero = (n: number | bigint): number => Math.max(0, Number(n));

/** Where paths of expressions about values of a schema lead. The first part of a path is a variable, whichever. */
export function sizeOfPathIn(schema: SchemaProps, isResourceRoot: boolean): SizeOfPath {
  const root = sizesOf(schema, isResourceRoot);
  return ([, ...names]) => {
    let at = root;
    for (const name of names) {
      if (name === '@items' || name === '@values') at = at?.element;
      else if (name === '@keys') at = at?.isMap ? key : undefined;
      else at = at?.fields?.get(name);
    }
    return at && { min: 0, max: at.max };
  };
}

/** How often a value of this schema can be in one object at most, if nothing else bounds that. */
export function maxCardinality(schema: SchemaProps, isResourceRoot: boolean): number {
  return Math.floor(maxRequestBytes / ((sizesOf(schema, isResourceRoot)?.minBytes ?? 2) + 1));
}

/** How many values a schema has below each of its own; undefined when it does not say. */
export function maxElements({ type, additionalProperties, maxProperties, maxItems }: SchemaProps): number | undefined {
  if (type === 'array') return maxItems === undefined ? undefined : atLeastZero(maxItems);
  if (type !== 'object' || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : atLeastZero(maxProperties);
}
