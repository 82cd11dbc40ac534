import { celTypes, escapeFieldName, type CelType, type ObjectField } from '../../cel/cel-type.ts';
import { isEmbedded, isIntOrString, itemsOf, oncePerSchema, valuesOf, withResourceProperties, type SchemaProps } from './schema-props.ts';

const knownTypes = oncePerSchema(convert);

/** How expressions see a value of this schema; undefined when they cannot see it. */
export const celTypeOfSchema = (schema: SchemaProps, isResourceRoot: boolean, name = 'object'): CelType | undefined =>
  knownTypes(schema, isResourceRoot, name);

/** By format, which may be any word. */
const textTypes: ReadonlyMap<string, CelType> = new Map([
  ['byte', celTypes.bytes],
  ['duration', celTypes.duration],
  ['date', celTypes.timestamp],
  ['date-time', celTypes.timestamp],
]);

function convert(schema: SchemaProps, isResourceRoot: boolean, name: string): CelType | undefined {
  if (isIntOrString(schema)) return celTypes.dyn;
  if (isResourceRoot) return objectType(withResourceProperties(schema), name);
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
      return textTypes.get(schema.format ?? '') ?? celTypes.string;
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
