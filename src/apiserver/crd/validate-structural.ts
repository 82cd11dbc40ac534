import { at, forbidden, invalid, required, type FieldError } from '../../api/field-error.ts';
import { jsonEqual } from '../../util/json.ts';
import { compileGoRegExp } from '../../cel/go-regexp.ts';
import { isEmbedded, isIntOrString, itemsOf, preservesUnknown, valuesOf, type SchemaProps } from './schema-props.ts';

type Level = 'root' | 'item' | 'field';

/** Whether every part of a schema says what type its values have, and constraints speak only of declared parts. */
export function validateStructural(schema: SchemaProps, path: string): FieldError[] {
  return [...invariants(schema, 'root', path), ...completeness(schema, schema, path, path)].sort((a, b) => {
    const [left, right] = [`${a.field}: ${a.message}`, `${b.field}: ${b.message}`];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}

const propertyPath = (path: string, name: string): string => at.key(at.child(path, 'properties'), name);

function invariants(schema: SchemaProps, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  if (schema.type === 'array' && schema.items === undefined) errors.push(required(at.child(path, 'items'), 'must be specified'));
  if (items) errors.push(...invariants(items, 'item', at.child(path, 'items')));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...invariants(property, 'field', propertyPath(path, name)));
  if (schema.additionalProperties !== undefined && level === 'root')
    errors.push(forbidden(at.child(path, 'additionalProperties'), 'must not be used at the root'));
  if (values) errors.push(...invariants(values, 'field', at.child(path, 'additionalProperties')));
  if (isIntOrString(schema) && preservesUnknown(schema))
    errors.push(
      invalid(at.child(path, 'x-kubernetes-preserve-unknown-fields'), true, 'must be false if x-kubernetes-int-or-string is true'),
    );
  if (isIntOrString(schema) && isEmbedded(schema))
    errors.push(invalid(at.child(path, 'x-kubernetes-embedded-resource'), true, 'must be false if x-kubernetes-int-or-string is true'));
  errors.push(...valueValidations(schema, isIntOrStringChoice(schema.anyOf), isIntOrStringChoice(schema.allOf?.[0]?.anyOf), path));
  errors.push(...typeErrors(schema, level, path), ...resourceErrors(schema, level, path));
  return errors;
}

const emptyTypes: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function typeErrors(schema: SchemaProps, level: Level, path: string): FieldError[] {
  const type = schema.type ?? '';
  const typePath = at.child(path, 'type');
  if (isEmbedded(schema) && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true';
    return [type === '' ? required(typePath, text) : invalid(typePath, type, text)];
  }
  if (type === '') return isIntOrString(schema) || preservesUnknown(schema) ? [] : [required(typePath, emptyTypes[level])];
  return level === 'root' && type !== 'object' ? [invalid(typePath, type, 'must be object at the root')] : [];
}

/** Roots and embedded resources have apiVersion, kind and metadata, about which a schema may say little. */
function resourceErrors(schema: SchemaProps, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const isResource = level === 'root' || isEmbedded(schema);
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  if (isEmbedded(schema) && schema.additionalProperties !== undefined)
    errors.push(forbidden(at.child(path, 'additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'));
  for (const [name, property] of Object.entries({ kind, apiVersion })) {
    if (isResource && property && property.type !== 'string')
      errors.push(invalid(at.child(propertyPath(path, name), 'type'), property.type ?? '', 'must be string'));
  }
  if (metadata) errors.push(...metadataErrors(metadata, isResource, level, propertyPath(path, 'metadata')));
  if (isEmbedded(schema) && !preservesUnknown(schema) && Object.keys(schema.properties ?? {}).length === 0) {
    const text = 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(at.child(path, 'properties'), text));
  }
  return errors;
}

function metadataErrors(metadata: SchemaProps, isResource: boolean, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (isResource && metadata.type !== 'object') errors.push(invalid(at.child(path, 'type'), metadata.type ?? '', 'must be object'));
  if (level !== 'root') return errors;
  const { type: _type, default: _default, properties = {}, ...rest } = metadata;
  const isPlain = Object.keys(properties).every(name => name === 'name' || name === 'generateName') && Object.keys(rest).length === 0;
  if (!isPlain)
    errors.push(forbidden(path, 'must not specify anything other than name and generateName, but metadata is implicitly specified'));
  return errors;
}

const intOrStringChoice: readonly SchemaProps[] = [{ type: 'integer' }, { type: 'string' }];
const isIntOrStringChoice = (anyOf: readonly SchemaProps[] | undefined): boolean =>
  anyOf?.length === 2 && jsonEqual(anyOf, intOrStringChoice);

function valueValidations(schema: SchemaProps, skipsAnyOf: boolean, skipsFirstAllOf: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!skipsAnyOf)
    errors.push(...(schema.anyOf ?? []).flatMap((nested, i) => nestedErrors(nested, false, at.index(at.child(path, 'anyOf'), i))));
  errors.push(
    ...(schema.allOf ?? []).flatMap((nested, i) => nestedErrors(nested, skipsFirstAllOf && i === 0, at.index(at.child(path, 'allOf'), i))),
  );
  errors.push(...(schema.oneOf ?? []).flatMap((nested, i) => nestedErrors(nested, false, at.index(at.child(path, 'oneOf'), i))));
  if (schema.not) errors.push(...nestedErrors(schema.not, false, at.child(path, 'not')));
  if (schema.pattern !== undefined && schema.pattern !== '') {
    try {
      compileGoRegExp(schema.pattern);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      errors.push(invalid(at.child(path, 'pattern'), schema.pattern, `must be a valid regular expression, but isn't: ${why}`));
    }
  }
  return errors;
}

/** What must not stand inside anyOf, allOf, oneOf and not, with the reason given. */
const forbiddenInside: readonly (readonly [keyof SchemaProps, string])[] = [
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0);

function nestedErrors(schema: SchemaProps, skipsAnyOf: boolean, path: string): FieldError[] {
  const errors = valueValidations(schema, skipsAnyOf, false, path);
  const items = itemsOf(schema);
  if (items) errors.push(...nestedErrors(items, false, at.child(path, 'items')));
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    errors.push(...nestedErrors(property, false, propertyPath(path, name)));
  if (isSet(schema.type)) errors.push(forbidden(at.child(path, 'type'), 'must be empty to be structural'));
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false)
    errors.push(forbidden(at.child(path, 'additionalProperties'), 'must be undefined to be structural'));
  for (const [field, reason] of forbiddenInside) if (isSet(schema[field])) errors.push(forbidden(at.child(path, field), reason));
  if (schema.properties?.['metadata']) errors.push(forbidden(propertyPath(path, 'metadata'), 'must not be specified in a nested context'));
  return errors;
}

/** Constraints in anyOf and its like speak only of fields and items that the schema declares. */
function completeness(constraints: SchemaProps, schema: SchemaProps, schemaPath: string, path: string): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = constraints;
  return [
    ...(not ? nestedCompleteness(not, schema, schemaPath, at.child(path, 'not')) : []),
    ...Object.entries({ allOf, anyOf, oneOf }).flatMap(([name, list]) =>
      list.flatMap((nested, i) => nestedCompleteness(nested, schema, schemaPath, at.index(at.child(path, name), i))),
    ),
  ];
}

function nestedCompleteness(constraints: SchemaProps, schema: SchemaProps | undefined, schemaPath: string, path: string): FieldError[] {
  if (!schema) return [required(schemaPath, `because it is defined in ${path}`)];
  const errors = completeness(constraints, schema, schemaPath, path);
  const items = itemsOf(constraints);
  if (items) errors.push(...nestedCompleteness(items, itemsOf(schema), at.child(schemaPath, 'items'), at.child(path, 'items')));
  for (const [name, property] of Object.entries(constraints.properties ?? {})) {
    const declared = schema.properties?.[name];
    errors.push(...nestedCompleteness(property, declared, propertyPath(schemaPath, name), propertyPath(path, name)));
  }
  return errors;
}
