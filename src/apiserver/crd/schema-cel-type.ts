import { celTypes, escapeFieldName, type CelType, type ObjectField } from '../../cel/cel-type.ts';
import { isEmbedded, isIntOrString, itemsOf, valuesOf, type SchemaProps } from './schema-props.ts';

const known = new WeakMap<SchemaProps, Map<boolean, CelType | undefined>>();

/**
 * How expressions see a value of this schema; undefined when they cannot see it. The root of a resource shows its type and name even
 * if the schema is silent about them.
 */
export function celTypeOfSchema(schema: SchemaProps, isResourceRoot: boolean, name = 'object'): CelType | undefined {
  let byRoot = known.get(schema);
  if (!byRoot) known.set(schema, (byRoot = new Map()));
  if (!byRoot.has(isResourceRoot)) byRoot.set(isResourceRoot, convert(schema, isResourceRoot, name));
  return byRoot.get(isResourceRoot);
}

const textTypes: Readonly<Record<string, CelType>> = {
  byte: celTypes.bytes,
  duration: celTypes.duration,
  date: celTypes.timestamp,
  'date-time': celTypes.timestamp,
};

function convert(schema: SchemaProps, isResourceRoot: boolean, name: string): CelType | undefined {
  if (isIntOrString(schema)) return celTypes.dyn;
  if (isResourceRoot) return objectType({ ...schema, properties: { ...schema.properties, ...resourceProperties } }, name);
  switch (schema.type) {
    case 'array': {
      const items = itemsOf(schema);
      const element = items && celTypeOfSchema(items, isEmbedded(items), `${name}.@idx`);
      return element && celTypes.list(element);
    }
    case 'object': {
      const values = valuesOf(schema);
      if (!values) return objectType(schema, name);
      const value = celTypeOfSchema(values, isEmbedded(values), `${name}.@elem`);
      return value && celTypes.map(celTypes.string, value);
    }
    case 'string':
      return textTypes[schema.format ?? ''] ?? celTypes.string;
    case 'boolean':
      return celTypes.bool;
    case 'number':
      return celTypes.double;
    case 'integer':
      return celTypes.int;
    default:
      return undefined;
  }
}

const text: SchemaProps = { type: 'string' };
const resourceProperties: Readonly<Record<string, SchemaProps>> = {
  kind: text,
  apiVersion: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
};

let objects = 0;

function objectType(schema: SchemaProps, name: string): CelType {
  const typeName = name === 'object' ? `selfType${++objects}` : name;
  let fields: Map<string, ObjectField> | undefined;
  const declare = (): Map<string, ObjectField> => {
    const declared = new Map<string, ObjectField>();
    for (const [jsonName, property] of Object.entries(schema.properties ?? {})) {
      const escaped = escapeFieldName(jsonName);
      const type = escaped === undefined ? undefined : celTypeOfSchema(property, isEmbedded(property), `${typeName}.${escaped}`);
      if (escaped !== undefined && type) declared.set(escaped, { jsonName, type });
    }
    return declared;
  };
  return { kind: 'object', name: typeName, field: field => (fields ??= declare()).get(field) };
}
