import { at, forbidden, invalid, notSupported, required, type FieldError } from '../../api/field-error.ts';
import type { CelType } from '../../cel/cel-type.ts';
import { compileRules } from './cel-rules.ts';
import { resolveFieldPath } from './field-path.ts';
import { RuleCosts } from './rule-costs.ts';
import { celTypeOfSchema } from './schema-cel-type.ts';
import { isEmbedded, itemsOf, valuesOf, type SchemaProps, type ValidationRule } from './schema-props.ts';
import { maxElements } from './schema-sizes.ts';

/** What a schema may hold depends on where it stands. */
interface Place {
  readonly isRoot: boolean;
  readonly forbidsDefaults?: string;
  readonly isInsideMeta: boolean;
  /** The highest place whose values cannot be told to be the same thing before and after an update. */
  readonly uncorrelatedSince?: string;
  /** Rules are compiled where the schema is sound. */
  readonly compilesRules: boolean;
  /** How often a value can stand here in one object; undefined when some list or map above has no bound. */
  readonly cardinality: number | undefined;
  readonly costs: RuleCosts;
}

interface Report {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

const metaFields = new Set(['metadata', 'kind', 'apiVersion']);
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** What OpenAPI and Kubernetes forbid in a schema; with `compilesRules`, also what is wrong with its rules. */
export function validateSchema(schema: SchemaProps, path: string, compilesRules: boolean): FieldError[] {
  const costs = new RuleCosts();
  const report = visit(schema, path, { isRoot: true, isInsideMeta: false, compilesRules, cardinality: 1, costs });
  return [...report.schema, ...report.rules, ...(compilesRules ? costs.totalErrors(path) : [])];
}

function visit(schema: SchemaProps, path: string, place: Place): Report {
  const report: Report = { schema: [...keywordErrors(schema, path, place)], rules: [] };
  const each = maxElements(schema);
  const cardinality = place.cardinality === undefined || each === undefined ? undefined : place.cardinality * each;
  const add = (child: SchemaProps | undefined, childPath: string, childPlace: Place): void => {
    if (!child) return;
    const found = visit(child, childPath, { ...childPlace, isRoot: false, cardinality });
    report.schema.push(...found.schema);
    report.rules.push(...found.rules);
  };
  if (schema.uniqueItems === true)
    report.schema.push(
      forbidden(at.child(path, 'uniqueItems'), 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'),
    );
  const hasProperties = Object.keys(schema.properties ?? {}).length > 0;
  if (schema.additionalProperties !== undefined) {
    if (hasProperties && schema.additionalProperties !== true)
      report.schema.push(forbidden(at.child(path, 'additionalProperties'), 'additionalProperties and properties are mutual exclusive'));
    const inside = 'inside additionalProperties applying to object metadata';
    add(valuesOf(schema), at.child(path, 'additionalProperties'), place.isInsideMeta ? { ...place, forbidsDefaults: inside } : place);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    add(property, at.key(at.child(path, 'properties'), name), propertyPlace(schema, name, path, place));
  const plain: Place = { ...place, compilesRules: false };
  add(schema.not, at.child(path, 'not'), plain);
  for (const [name, list] of Object.entries({ allOf: schema.allOf, oneOf: schema.oneOf, anyOf: schema.anyOf }))
    list?.forEach((child, i) => add(child, at.index(at.child(path, name), i), plain));
  for (const [name, child] of Object.entries(schema.definitions ?? {})) add(child, at.key(at.child(path, 'definitions'), name), plain);
  const itemPlace = schema['x-kubernetes-list-type'] === 'map' ? place : uncorrelated(place, path);
  if (Array.isArray(schema.items)) schema.items.forEach((child, i) => add(child, at.index(at.child(path, 'items'), i), itemPlace));
  else add(itemsOf(schema), at.child(path, 'items'), itemPlace);
  report.schema.push(...extensionErrors(schema, path), ...listKeyErrors(schema, path));
  const rules = schema['x-kubernetes-validations'] ?? [];
  report.schema.push(...rules.flatMap((rule, i) => ruleTextErrors(rule, schema, at.index(at.child(path, 'x-kubernetes-validations'), i))));
  if (rules.length > 0 && report.schema.length === 0 && place.compilesRules) report.rules.push(...ruleErrors(schema, path, place));
  return report;
}

const uncorrelated = (place: Place, path: string): Place =>
  place.uncorrelatedSince === undefined ? { ...place, uncorrelatedSince: path } : place;

function propertyPlace(schema: SchemaProps, name: string, path: string, place: Place): Place {
  const mapType = schema['x-kubernetes-map-type'];
  const correlated = mapType === undefined || mapType === 'granular' || mapType === 'atomic' ? place : uncorrelated(place, path);
  if (!(place.isRoot || isEmbedded(schema)) || !metaFields.has(name)) return correlated;
  return { ...correlated, isInsideMeta: true, ...(place.isRoot && { forbidsDefaults: `in top-level ${name}` }) };
}

function keywordErrors(schema: SchemaProps, path: string, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const no = (field: string, text: string): unknown => errors.push(forbidden(at.child(path, field), text));
  const type = schema.type ?? '';
  if (type !== '' && !types.includes(type)) errors.push(notSupported(at.child(path, 'type'), type, types));
  if (schema.default !== undefined && place.forbidsDefaults !== undefined) no('default', `must not be set ${place.forbidsDefaults}`);
  if ((schema.id ?? '') !== '') no('id', 'id is not supported');
  if (schema.additionalItems !== undefined) no('additionalItems', 'additionalItems is not supported');
  if (Object.keys(schema.patternProperties ?? {}).length > 0) no('patternProperties', 'patternProperties is not supported');
  if (Object.keys(schema.definitions ?? {}).length > 0) no('definitions', 'definitions is not supported');
  if (schema.dependencies !== undefined) no('dependencies', 'dependencies is not supported');
  if (schema.$ref !== undefined) no('$ref', '$ref is not supported');
  if (type === 'null') no('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(schema.items)) no('items', 'items must be a schema object and not an array');
  if (place.isInsideMeta && isEmbedded(schema)) no('x-kubernetes-embedded-resource', 'must not be used inside of resource meta');
  return errors;
}

function mustBe(wanted: string, schema: SchemaProps, path: string, extension: string): FieldError[] {
  const type = schema.type ?? '';
  if (type === wanted) return [];
  const text = `must be ${wanted} if ${extension} is specified`;
  return [type === '' ? required(at.child(path, 'type'), text) : invalid(at.child(path, 'type'), type, text)];
}

function extensionErrors(schema: SchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { 'x-kubernetes-map-type': mapType, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    errors.push(invalid(at.child(path, 'x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  if (mapType !== undefined) {
    errors.push(...mustBe('object', schema, path, 'x-kubernetes-map-type'));
    if (mapType !== 'atomic' && mapType !== 'granular')
      errors.push(notSupported(at.child(path, 'x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  }
  if (listType !== undefined) {
    const wrongType = mustBe('array', schema, path, 'x-kubernetes-list-type');
    errors.push(...wrongType, ...(wrongType.length === 0 && listType === 'set' ? setItemErrors(schema, path) : []));
    if (!['atomic', 'set', 'map'].includes(listType))
      errors.push(notSupported(at.child(path, 'x-kubernetes-list-type'), listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && listType !== 'map') {
    const text = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const typePath = at.child(path, 'x-kubernetes-list-type');
    errors.push(listType === undefined ? required(typePath, text) : invalid(typePath, listType, text));
  }
  return errors;
}

function setItemErrors(schema: SchemaProps, path: string): FieldError[] {
  const items = itemsOf(schema);
  if (!items) return [];
  const text = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-map-type': mapType } = items;
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalid(at.child(path, 'items', 'x-kubernetes-list-type'), listType, text)];
  return items.type === 'object' && mapType !== 'atomic' ? [invalid(at.child(path, 'items', 'x-kubernetes-map-type'), listType, text)] : [];
}

function listKeyErrors(schema: SchemaProps, path: string): FieldError[] {
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  const items = itemsOf(schema);
  const errors: FieldError[] = [];
  const itemsPath = at.child(path, 'items');
  if (listType === 'map') {
    const keysPath = at.child(path, 'x-kubernetes-list-map-keys');
    if (keys.length === 0) errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
    if (schema.items === undefined) errors.push(required(itemsPath, 'must have a schema if x-kubernetes-list-type is map'));
    if (Array.isArray(schema.items))
      errors.push(invalid(itemsPath, schema.items, 'must only have a single schema if x-kubernetes-list-type is map'));
    if (items && items.type !== 'object')
      errors.push(invalid(at.child(itemsPath, 'type'), items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"));
    if (items?.type === 'object') errors.push(...keys.flatMap((key, i) => keyErrors(items, keys, i, key, path)));
  }
  if (!items || (listType !== 'map' && listType !== 'set')) return errors;
  if (items.nullable === true)
    errors.push(forbidden(at.child(itemsPath, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  if (listType === 'set') return errors;
  for (const key of keys) {
    const property = items.properties?.[key];
    if (!property) continue;
    const keyPath = at.key(at.child(itemsPath, 'properties'), key);
    const isKey = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!items.required?.includes(key) && property.default === undefined)
      errors.push(required(at.child(keyPath, 'default'), `${isKey} must have a default or be a required property`));
    if (property.nullable === true) errors.push(forbidden(at.child(keyPath, 'nullable'), `${isKey} cannot be nullable`));
  }
  return errors;
}

function keyErrors(items: SchemaProps, keys: readonly string[], i: number, key: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const property = items.properties?.[key];
  const keysPath = at.child(path, 'x-kubernetes-list-map-keys');
  if (!property) errors.push(invalid(keysPath, keys, 'entries must all be names of item properties'));
  else if (property.type === 'array' || property.type === 'object') {
    const typePath = at.child(at.key(at.child(path, 'items', 'properties'), key), 'type');
    errors.push(invalid(typePath, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"));
  }
  if (keys.indexOf(key) < i) errors.push(invalid(keysPath, keys, 'must not contain duplicate entries'));
  return errors;
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const hasNewlines = (text: string): boolean => /[\n\r]/.test(text);

function ruleTextErrors(rule: ValidationRule, schema: SchemaProps, path: string): FieldError[] {
  const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const errors: FieldError[] = [];
  const text = (rule.rule ?? '').trim();
  if (text === '') errors.push(required(at.child(path, 'rule'), 'rule is not specified'));
  else if (message !== '' && message.trim() === '')
    errors.push(invalid(at.child(path, 'message'), message, 'must be non-empty if specified'));
  else if (hasNewlines(message.trim())) errors.push(invalid(at.child(path, 'message'), message, 'must not contain line breaks'));
  else if (hasNewlines(text) && message.trim() === '')
    errors.push(required(at.child(path, 'message'), 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(at.child(path, 'messageExpression'), 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(at.child(path, 'reason'), reason, reasons));
  if (fieldPath !== '') {
    const pathPath = at.child(path, 'fieldPath');
    if (fieldPath.trim() === '') errors.push(invalid(pathPath, fieldPath, 'must be non-empty if specified'));
    if (hasNewlines(fieldPath)) errors.push(invalid(pathPath, fieldPath, 'must not contain line breaks'));
    if (!isResolvable(fieldPath, schema)) errors.push(invalid(pathPath, fieldPath, 'must be a valid path'));
  }
  return errors;
}

function isResolvable(fieldPath: string, schema: SchemaProps): boolean {
  try {
    resolveFieldPath(fieldPath, schema);
    return true;
  } catch {
    return false;
  }
}

function ruleErrors(schema: SchemaProps, path: string, place: Place): FieldError[] {
  const rulesPath = at.child(path, 'x-kubernetes-validations');
  const isResourceRoot = place.isRoot || isEmbedded(schema);
  const type: CelType | undefined = celTypeOfSchema(schema, isResourceRoot);
  if (!type)
    return [
      {
        type: 'InternalError',
        field: rulesPath,
        message: 'Internal error: internal error: failed to retrieve type information for x-kubernetes-validations',
      },
    ];
  return compileRules(schema, type).flatMap((compiled, i) => {
    const rulePath = at.index(rulesPath, i);
    const errors = place.costs.errorsOf(compiled, rulePath, { schema, type, isResourceRoot, cardinality: place.cardinality });
    if (compiled.error !== undefined) errors.push(invalid(at.child(rulePath, 'rule'), internalForm(compiled.rule), compiled.error));
    if (compiled.messageError !== undefined)
      errors.push(invalid(at.child(rulePath, 'messageExpression'), internalForm(compiled.rule), compiled.messageError));
    if (compiled.usesOldSelf && place.uncorrelatedSince !== undefined) {
      const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatedSince}`;
      errors.push(invalid(at.child(rulePath, 'rule'), compiled.rule.rule, text));
    } else if (!compiled.usesOldSelf && compiled.rule.optionalOldSelf !== undefined)
      errors.push(
        invalid(at.child(rulePath, 'optionalOldSelf'), compiled.rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
      );
    return errors;
  });
}

/** A rule as messages show it: the server prints its own, untagged form. */
function internalForm({
  rule = '',
  message = '',
  messageExpression = '',
  reason,
  fieldPath = '',
  optionalOldSelf,
}: ValidationRule): object {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}
