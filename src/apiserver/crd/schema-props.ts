import { StatusError } from '../../api/status.ts';
import { isJsonObject, type Json } from '../../util/json.ts';

/** A node of `openAPIV3Schema`, as a CustomResourceDefinition writes it. */
export interface SchemaProps {
  id?: string;
  $schema?: string;
  $ref?: string;
  description?: string;
  title?: string;
  type?: string;
  format?: string;
  nullable?: boolean;
  default?: Json;
  example?: Json;
  enum?: Json[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, SchemaProps>;
  additionalProperties?: SchemaProps | boolean;
  patternProperties?: Record<string, SchemaProps>;
  additionalItems?: SchemaProps | boolean;
  items?: SchemaProps | SchemaProps[];
  definitions?: Record<string, SchemaProps>;
  dependencies?: Record<string, SchemaProps | string[]>;
  externalDocs?: Json;
  allOf?: SchemaProps[];
  anyOf?: SchemaProps[];
  oneOf?: SchemaProps[];
  not?: SchemaProps;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: ValidationRule[];
}

export interface ValidationRule {
  rule?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/** Schemas nested deeper than this are refused: every walk over a schema is recursive. */
const maxSchemaDepth = 500;

export const preservesUnknown = (schema: SchemaProps): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;
export const isEmbedded = (schema: SchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true;
export const isIntOrString = (schema: SchemaProps): boolean => schema['x-kubernetes-int-or-string'] === true;

export function itemsOf({ items }: SchemaProps): SchemaProps | undefined {
  return Array.isArray(items) ? undefined : items;
}

/** The schema of map values; undefined when there is none, also for `additionalProperties: true`. */
export function valuesOf({ additionalProperties }: SchemaProps): SchemaProps | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

export function propertyOf(schema: SchemaProps | undefined, name: string): SchemaProps | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of a field, be it a property or a map value. */
export function fieldOf(schema: SchemaProps | undefined, name: string): SchemaProps | undefined {
  return propertyOf(schema, name) ?? (schema && valuesOf(schema));
}

/** All schemas directly below one, in every role. */
function* childSchemas(schema: SchemaProps): Generator<SchemaProps> {
  const groups: unknown[] = [
    schema.items,
    schema.allOf,
    schema.anyOf,
    schema.oneOf,
    schema.not,
    schema.additionalProperties,
    schema.additionalItems,
    ...[schema.properties, schema.patternProperties, schema.definitions, schema.dependencies].map(map => map && Object.values(map)),
  ];
  for (const group of groups) {
    if (Array.isArray(group)) {
      for (const child of group) if (isJsonObject(child)) yield child as SchemaProps;
    } else if (isJsonObject(group)) yield group as SchemaProps;
  }
}

/** Whether a schema or one below it satisfies a test. */
export function schemaHas(schema: SchemaProps, test: (schema: SchemaProps) => boolean): boolean {
  if (test(schema)) return true;
  for (const child of childSchemas(schema)) if (schemaHas(child, test)) return true;
  return false;
}

/** Throws StatusError 400 for schemas that are nested too deeply to be walked. */
export function checkSchemaDepth(schema: SchemaProps): void {
  let level: SchemaProps[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxSchemaDepth) throw new StatusError(400, 'BadRequest', `schema is nested more than ${maxSchemaDepth} levels deep`);
    level = level.flatMap(node => [...childSchemas(node)]);
  }
}

const text: SchemaProps = { type: 'string' };
const resourceProperties: Readonly<Record<string, SchemaProps>> = {
  kind: text,
  apiVersion: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
};

/** The schema of a whole resource: it has its type and name even if the schema is silent about them. */
export const withResourceProperties = (schema: SchemaProps): SchemaProps => ({
  ...schema,
  properties: { ...schema.properties, ...resourceProperties },
});

/** What follows from a schema and from whether it is the root of a resource, found out once. */
export function oncePerSchema<T, Rest extends unknown[]>(
  find: (schema: SchemaProps, isResourceRoot: boolean, ...rest: Rest) => T,
): (schema: SchemaProps, isResourceRoot: boolean, ...rest: Rest) => T {
  const known = new WeakMap<SchemaProps, Map<boolean, T>>();
  return (schema, isResourceRoot, ...rest) => {
    let byRoot = known.get(schema);
    if (!byRoot) known.set(schema, (byRoot = new Map()));
    if (!byRoot.has(isResourceRoot)) byRoot.set(isResourceRoot, find(schema, isResourceRoot, ...rest));
    return byRoot.get(isResourceRoot)!;
  };
}
