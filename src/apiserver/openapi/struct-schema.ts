import type { Json, JsonObject } from '../../util/json.ts';
import type { StructExtra } from '../facts/facts-format.ts';
import type { GoField, GoScalar, GoStruct, GoType, ScalarName } from '../schema/go-type.ts';
import { objectMetaDescriptions } from './object-meta-descriptions.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

/** Scalars that have a schema of their own, by Go's name. */
const namedScalars: Readonly<Record<string, string>> = {
  'resource.Quantity': 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'v1.Time': `${meta}Time`,
  'v1.MicroTime': `${meta}MicroTime`,
  'v1.Duration': `${meta}Duration`,
  'v1.FieldsV1': `${meta}FieldsV1`,
  'intstr.IntOrString': 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  'runtime.RawExtension': 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  'v1.JSON': `${apiextensions}JSON`,
  'v1.JSONSchemaPropsOrArray': `${apiextensions}JSONSchemaPropsOrArray`,
  'v1.JSONSchemaPropsOrBool': `${apiextensions}JSONSchemaPropsOrBool`,
  'v1.JSONSchemaPropsOrStringArray': `${apiextensions}JSONSchemaPropsOrStringArray`,
};

/** The schemas of named scalars in OpenAPI v3. */
export const scalarSchemas: Readonly<Record<string, JsonObject>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  [`${meta}Time`]: { type: 'string', format: 'date-time' },
  [`${meta}MicroTime`]: { type: 'string', format: 'date-time' },
  [`${meta}Duration`]: { type: 'string' },
  [`${meta}FieldsV1`]: { type: 'object' },
  [`${meta}Patch`]: { type: 'object' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object' },
  [`${apiextensions}JSON`]: {},
  [`${apiextensions}JSONSchemaPropsOrArray`]: {},
  [`${apiextensions}JSONSchemaPropsOrBool`]: {},
  [`${apiextensions}JSONSchemaPropsOrStringArray`]: {},
};

const plainScalars: Partial<Record<ScalarName, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  uint64: { type: 'integer', format: 'int64' },
  float32: { type: 'number', format: 'float' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

/** Zero values that the schema names as defaults of what is always there. */
const zeroOf: Partial<Record<ScalarName, string | number | boolean>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  float32: 0,
  float64: 0,
};

/** The OpenAPI v3 schema of a struct, with the prose of metadata only, and without the kinds it is. */
export function schemaOfStruct(struct: GoStruct, extra: StructExtra | undefined): JsonObject {
  const properties: JsonObject = {};
  const descriptions = struct.name.endsWith('.meta.v1.ObjectMeta') ? objectMetaDescriptions : undefined;
  for (const field of struct.fields) {
    const schema = (extra?.properties?.[field.name] as JsonObject) ?? schemaOfField(field);
    const description = descriptions?.[field.name];
    properties[field.name] = description === undefined ? schema : { ...schema, description };
  }
  const required = struct.fields.filter(f => f.isRequired).map(f => f.name);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(struct.fields.length > 0 && { properties }),
    ...(struct.mapType && { 'x-kubernetes-map-type': struct.mapType }),
    ...(extra?.schema as JsonObject | undefined),
  };
}

/** The default that the server publishes for a field: its own, or the zero of what is always there. */
export function publishedDefault(field: GoField): Json | undefined {
  if (field.defaultValue !== undefined) return field.defaultValue as Json;
  return field.isPointer ? undefined : defaultOf(field.type, field.omitEmpty);
}

function schemaOfField(field: GoField): JsonObject {
  const value = publishedDefault(field);
  return {
    ...schemaOfType(field.type),
    ...(value !== undefined && { default: value }),
    ...(field.enumValues && { enum: [...field.enumValues] }),
    ...(field.listType && { 'x-kubernetes-list-type': field.listType }),
    ...(field.listMapKeys && { 'x-kubernetes-list-map-keys': [...field.listMapKeys] }),
    ...(field.mapType && { 'x-kubernetes-map-type': field.mapType }),
    ...(field.patchStrategy && { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') }),
    ...(field.patchMergeKey && { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
  };
}

function schemaOfType(type: GoType): JsonObject {
  switch (type.type) {
    case 'struct':
      return reference(type.name);
    case 'list':
      return { type: 'array', items: schemaOfElement(type.element) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOfElement(type.element) };
    case 'scalar':
      return schemaOfScalar(type);
  }
}

/** Without anything beside it a reference stands alone; otherwise `allOf` lets the rest be said. */
function schemaOfElement(type: GoType): JsonObject {
  const schema = schemaOfType(type);
  const value = defaultOf(type, false);
  if (value !== undefined) return { ...schema, default: value };
  const name = nameOfSchema(type);
  return name === undefined ? schema : { $ref: `#/components/schemas/${name}` };
}

function schemaOfScalar(type: GoScalar): JsonObject {
  const name = nameOfSchema(type);
  if (name !== undefined) return reference(name);
  return { ...plainScalars[type.scalar] };
}

function nameOfSchema(type: GoType): string | undefined {
  if (type.type === 'struct') return type.name;
  return type.type === 'scalar' ? namedScalars[type.goName] : undefined;
}

function defaultOf(type: GoType, omitEmpty: boolean): JsonObject | string | number | boolean | undefined {
  if (type.type === 'struct') return {};
  if (type.type !== 'scalar') return undefined;
  return omitEmpty ? undefined : zeroOf[type.scalar];
}

const reference = (name: string): JsonObject => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });
