import { at, forbidden, invalid, notSupported, required, tooMany, type FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import { jsonEqual } from '../../util/json.ts';
import { validateClientConfig } from '../builtin/admissionregistration/webhook-rules.ts';
import { parseRequestUri } from '../../cel/request-uri.ts';
import { isDns1035Label, isDns1123Subdomain } from '../../api/names.ts';
import { validateImmutableField } from '../validation/object-meta.ts';
import { crdSpec, crdStatus, isConditionTrue, type CrdNames, type CrdSpec, type CrdVersion } from './crd-object.ts';
import type { PrinterColumn } from '../table/custom-printer.ts';
import { resolveFieldPath } from './field-path.ts';
import { checkSchemaDepth, schemaHas, type SchemaProps } from './schema-props.ts';
import { isKnownFormat } from './string-formats.ts';
import { validateDefaults } from './validate-defaults.ts';
import { validateSchema } from './validate-schema.ts';
import { validateStructural } from './validate-structural.ts';

const approvedAnnotation = 'api-approved.kubernetes.io';

/** Everything that is wrong with a definition, metadata aside. With `old`, of an update to it. */
export function validateCrd(crd: KubeObject, old?: KubeObject): FieldError[] {
  const spec = crdSpec(crd);
  const wantedName = `${spec.names.plural}.${spec.group}`;
  const errors: FieldError[] = [];
  const name = crd.metadata.name ?? '';
  if (!old && name !== wantedName) errors.push(invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  errors.push(...validateSpec(spec, old && crdSpec(old)));
  if (old) errors.push(...immutableErrors(spec, crdSpec(old), isConditionTrue(old, 'Established')));
  errors.push(...validateCrdStatus(crd), ...storedVersionErrors(crdStatus(crd).storedVersions ?? null, spec.versions));
  errors.push(...approvalErrors(crd, old));
  if (spec.preserveUnknownFields === true && !(old && crdSpec(old).preserveUnknownFields === true)) {
    const text = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalid('spec.preserveUnknownFields', true, text));
  }
  return errors;
}

export const validateCrdStatus = (crd: KubeObject): FieldError[] => nameErrors(crdStatus(crd).acceptedNames ?? {}, 'status.acceptedNames');

function immutableErrors(spec: CrdSpec, old: CrdSpec, isEstablished: boolean): FieldError[] {
  return [
    ...(isEstablished ? validateImmutableField(spec.scope, old.scope, 'spec.scope') : []),
    ...(isEstablished ? validateImmutableField(spec.names.kind, old.names.kind, 'spec.names.kind') : []),
    ...validateImmutableField(spec.group, old.group, 'spec.group'),
    ...validateImmutableField(spec.names.plural, old.names.plural, 'spec.names.plural'),
  ];
}

function validateSpec(spec: CrdSpec, old: CrdSpec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const { group, scope, names, versions } = spec;
  const groupProblems = isDns1123Subdomain(group);
  if (group === '') errors.push(required('spec.group'));
  else if (groupProblems.length > 0) errors.push(invalid('spec.group', group, groupProblems.join(',')));
  else if (!group.includes('.')) errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  if (scope === '') errors.push(required('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced') errors.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  errors.push(...versionErrors(spec, old));
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const)
    if ((names[field] ?? '') === '') errors.push(required(at.child('spec.names', field)));
  errors.push(...nameErrors(names, 'spec.names'));
  if (versions.length > 0) errors.push(...sharedErrors(spec, old));
  return [...errors, ...conversionErrors(spec)];
}

/** Parts that all versions have in common are checked once; the server then names them by the place where it keeps them. */
interface Hoisted {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
  readonly selectableFields: boolean;
}

function hoistedOf(versions: readonly CrdVersion[]): Hoisted {
  const first = versions[0];
  const same = (part: (version: CrdVersion) => unknown): boolean => versions.every(version => jsonEqual(part(version), part(first!)));
  return {
    schema: same(version => version.schema),
    subresources: same(version => version.subresources),
    columns: same(version => version.additionalPrinterColumns ?? []),
    selectableFields: same(version => version.selectableFields ?? []),
  };
}

const hasStatus = (version: CrdVersion): boolean => version.subresources?.status !== undefined;

function versionErrors({ versions }: CrdSpec, old: CrdSpec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const hoisted = hoistedOf(versions);
  versions.forEach((version, i) => {
    const path = at.index('spec.versions', i);
    if (version.schema?.openAPIV3Schema === undefined) errors.push(required(at.child(path, 'schema', 'openAPIV3Schema')));
    const problems = isDns1035Label(version.name);
    if (problems.length > 0) errors.push(invalid(at.child(path, 'name'), version.name, problems.join(',')));
    for (const problem of deprecationProblems(version))
      errors.push(invalid(at.child(path, 'deprecationWarning'), version.deprecationWarning, problem));
    if (!hoisted.schema) errors.push(...schemaErrors(version, hasStatus(version), at.child(path, 'schema', 'openAPIV3Schema'), old));
    if (!hoisted.subresources) errors.push(...scaleErrors(version, at.child(path, 'subresources')));
    if (!hoisted.columns) errors.push(...columnErrors(version.additionalPrinterColumns, at.child(path, 'additionalPrinterColumns')));
    if (!hoisted.selectableFields) errors.push(...selectableFieldErrors(version, at.child(path, 'selectableFields')));
  });
  if (new Set(versions.map(version => version.name)).size !== versions.length)
    errors.push(invalid('spec.versions', internalVersions(versions, hoisted), 'must contain unique version names'));
  if (versions.filter(version => version.storage).length !== 1)
    errors.push(invalid('spec.versions', internalVersions(versions, hoisted), 'must have exactly one version marked as storage version'));
  // The server keeps the first version a second time, for clients of old.
  const first = versions[0]?.name ?? '';
  const firstProblems = first === '' ? [] : isDns1035Label(first);
  if (firstProblems.length > 0) errors.push(invalid('spec.version', first, firstProblems.join(',')));
  return errors;
}

function sharedErrors({ versions }: CrdSpec, old: CrdSpec | undefined): FieldError[] {
  const hoisted = hoistedOf(versions);
  const first = versions[0]!;
  return [
    ...(hoisted.schema ? schemaErrors(first, versions.some(hasStatus), 'spec.validation.openAPIV3Schema', old) : []),
    ...(hoisted.subresources ? scaleErrors(first, 'spec.subresources') : []),
    ...(hoisted.columns ? columnErrors(first.additionalPrinterColumns, 'spec.additionalPrinterColumns') : []),
    ...(hoisted.selectableFields ? selectableFieldErrors(first, 'spec.selectableFields') : []),
  ];
}

/** Versions as messages show them: the server prints its own, untagged form. */
function internalVersions(versions: readonly CrdVersion[], hoisted: Hoisted): object[] {
  return versions.map(version => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: hoisted.schema ? null : (version.schema ?? null),
    Subresources: hoisted.subresources ? null : (version.subresources ?? null),
    AdditionalPrinterColumns: hoisted.columns ? null : (version.additionalPrinterColumns ?? null),
    SelectableFields: hoisted.selectableFields ? null : (version.selectableFields ?? null),
  }));
}

function deprecationProblems({ deprecated, deprecationWarning }: CrdVersion): string[] {
  if (deprecationWarning === undefined) return [];
  if (deprecated !== true) return ['can only be set for deprecated versions'];
  const problems: string[] = [];
  if (Buffer.byteLength(deprecationWarning) > 256) problems.push('must be <= 256 characters long');
  if (deprecationWarning === '') problems.push('must not be an empty string');
  const unprintable = deprecationWarning.search(/[^\P{C}]|[\p{Zl}\p{Zp}]|[^\S ]/u);
  if (unprintable >= 0)
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${unprintable}`);
  return problems;
}

const notAllowedAtRoot = new Set([
  'id',
  '$schema',
  '$ref',
  'default',
  'enum',
  'maxProperties',
  'minProperties',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'additionalProperties',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
  'nullable',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
]);
const allowedAtRoot =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]';

function schemaErrors(version: CrdVersion, statusEnabled: boolean, path: string, old: CrdSpec | undefined): FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  if (!schema) return [];
  checkSchemaDepth(schema);
  const oldSchema = old?.versions.find(candidate => candidate.name === version.name)?.schema?.openAPIV3Schema;
  // A schema that has been accepted stays accepted.
  if (oldSchema && jsonEqual(schema, oldSchema)) return [];
  const errors: FieldError[] = statusEnabled ? rootErrors(schema, path) : [];
  if (schema.nullable === true) errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  // Keywords that no schema may hold are reported below; the rest would only follow from them.
  const isReadable = !schemaHas(schema, hasUnsupportedKeyword);
  const structural = isReadable ? validateStructural(schema, path) : [];
  const defaults = structural.length > 0 || !isReadable ? [] : validateDefaults(schema, path);
  errors.push(...structural, ...defaults);
  return [...errors, ...validateSchema(schema, path, isReadable && structural.length + defaults.length === 0)];
}

function hasUnsupportedKeyword(schema: SchemaProps): boolean {
  const { id = '', $schema = '', $ref = '', patternProperties = {}, dependencies = {}, definitions = {}, additionalItems, items } = schema;
  if (id !== '' || $schema !== '' || $ref !== '' || additionalItems !== undefined || Array.isArray(items)) return true;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) return true;
  return [patternProperties, dependencies, definitions].some(table => Object.keys(table).length > 0);
}

function rootErrors(schema: SchemaProps, path: string): FieldError[] {
  if (schema.type !== undefined && schema.type !== '' && schema.type !== 'object') {
    const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, schema.type, text)];
  }
  const isOff = (value: unknown): boolean => value === undefined || value === false || value === '';
  const hasOther = Object.entries(schema).some(([key, value]) => notAllowedAtRoot.has(key) && !isOff(value));
  if (!hasOther) return [];
  return [invalid(path, schema, `only ${allowedAtRoot} fields are allowed at the root of the schema if the status subresource is enabled`)];
}

function simplePathErrors(jsonPath: string, path: string): FieldError[] {
  return jsonPath.startsWith('.') ? [] : [invalid(path, jsonPath, 'must be a simple json path starting with .')];
}

function scaleErrors({ subresources }: CrdVersion, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const check = (field: string, value: string, roots: readonly string[], where: string): FieldError[] => {
    const fieldPath = `${path}.scale.${field}`;
    const errors = simplePathErrors(value, fieldPath);
    if (errors.length > 0 || roots.some(root => value.startsWith(root))) return errors;
    return [invalid(fieldPath, value, `should be a json path under ${where}`)];
  };
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = scale;
  return [
    ...(specReplicasPath === ''
      ? [required(`${path}.scale.specReplicasPath`)]
      : check('specReplicasPath', specReplicasPath, ['.spec.'], '.spec')),
    ...(statusReplicasPath === ''
      ? [required(`${path}.scale.statusReplicasPath`)]
      : check('statusReplicasPath', statusReplicasPath, ['.status.'], '.status')),
    ...(labelSelectorPath === '' ? [] : check('labelSelectorPath', labelSelectorPath, ['.spec.', '.status.'], 'either .spec or .status')),
  ];
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function columnErrors(columns: readonly PrinterColumn[] = [], path: string): FieldError[] {
  return columns.flatMap((column, i) => {
    const columnPath = at.index(path, i);
    const errors: FieldError[] = [];
    if (column.name === '') errors.push(required(at.child(columnPath, 'name')));
    const wanted = `must be one of ${columnTypes.join(',')}`;
    if (column.type === '') errors.push(required(at.child(columnPath, 'type'), wanted));
    else if (!columnTypes.includes(column.type)) errors.push(invalid(at.child(columnPath, 'type'), column.type, wanted));
    if ((column.format ?? '') !== '' && !columnFormats.includes(column.format ?? ''))
      errors.push(invalid(at.child(columnPath, 'format'), column.format, `must be one of ${columnFormats.join(',')}`));
    if (column.jsonPath === '') errors.push(required(at.child(columnPath, 'JSONPath')));
    else errors.push(...simplePathErrors(column.jsonPath, at.child(columnPath, 'JSONPath')));
    return errors;
  });
}

const maxSelectableFields = 8;

function selectableFieldErrors({ selectableFields = [], schema }: CrdVersion, path: string): FieldError[] {
  const root = schema?.openAPIV3Schema;
  if (selectableFields.length === 0 || !root) return [];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  selectableFields.forEach(({ jsonPath }, i) => {
    const fieldPath = at.child(at.index(path, i), 'jsonPath');
    if (jsonPath === '') {
      errors.push(required(fieldPath));
      return;
    }
    try {
      const found = resolveFieldPath(jsonPath, root, false);
      if (found.path.split('.')[0] === 'metadata') errors.push(invalid(fieldPath, jsonPath, 'must not point to fields in metadata'));
      if (!['string', 'boolean', 'integer'].includes(found.schema?.type ?? '')) {
        const text = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
        errors.push(invalid(fieldPath, jsonPath, text));
      }
      if (seen.has(found.path))
        errors.push({ type: 'FieldValueDuplicate', field: fieldPath, message: `Duplicate value: ${JSON.stringify(jsonPath)}` });
      seen.add(found.path);
    } catch (error) {
      errors.push(invalid(fieldPath, jsonPath, `is an invalid path: ${error instanceof Error ? error.message : String(error)}`));
    }
  });
  if (seen.size > maxSelectableFields) errors.push(tooMany(path, seen.size, maxSelectableFields));
  return errors;
}

function nameErrors(names: Partial<CrdNames>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { kind = '', listKind = '' } = names;
  for (const field of ['plural', 'singular'] as const) {
    const value = names[field] ?? '';
    const problems = isDns1035Label(value);
    if (value !== '' && problems.length > 0) errors.push(invalid(at.child(path, field), value, problems.join(',')));
  }
  for (const [field, value] of Object.entries({ kind, listKind })) {
    const problems = isDns1035Label(value.toLowerCase());
    if (value !== '' && problems.length > 0)
      errors.push(invalid(at.child(path, field), value, `may have mixed case, but should otherwise match: ${problems.join(',')}`));
  }
  const listErrors = (field: 'shortNames' | 'categories'): FieldError[] =>
    (names[field] ?? []).flatMap((value, i) => {
      const problems = isDns1035Label(value);
      return problems.length > 0 ? [invalid(at.index(at.child(path, field), i), value, problems.join(','))] : [];
    });
  errors.push(...listErrors('shortNames'));
  if (kind !== '' && kind === listKind) errors.push(invalid(at.child(path, 'listKind'), listKind, 'kind and listKind may not be the same'));
  return [...errors, ...listErrors('categories')];
}

const reviewVersions = ['v1', 'v1beta1'];

function conversionErrors({ conversion }: CrdSpec): FieldError[] {
  if (!conversion) return [];
  const path = 'spec.conversion';
  const { strategy, webhook } = conversion;
  const errors: FieldError[] = [];
  if (strategy === '') errors.push(required(at.child(path, 'strategy')));
  else if (strategy !== 'None' && strategy !== 'Webhook')
    errors.push(notSupported(at.child(path, 'strategy'), strategy, ['None', 'Webhook']));
  const clientPath = at.child(path, 'webhookClientConfig');
  const versionsPath = at.child(path, 'conversionReviewVersions');
  if (strategy !== 'Webhook') {
    const text = 'should not be set when strategy is not set to Webhook';
    if (webhook?.clientConfig) errors.push(forbidden(clientPath, text));
    if ((webhook?.conversionReviewVersions ?? []).length > 0) errors.push(forbidden(versionsPath, text));
    return errors;
  }
  if (!webhook?.clientConfig) errors.push(required(clientPath, 'required when strategy is set to Webhook'));
  else errors.push(...validateClientConfig(webhook.clientConfig, clientPath));
  return [...errors, ...reviewVersionErrors(webhook?.conversionReviewVersions ?? [], versionsPath)];
}

function reviewVersionErrors(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors = versions.flatMap((version, i) => {
    if (versions.indexOf(version) < i) return [invalid(at.index(path, i), version, 'duplicate version')];
    return isDns1035Label(version).map(problem => invalid(at.index(path, i), version, problem));
  });
  if (!versions.some(version => reviewVersions.includes(version)))
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  return errors;
}

function storedVersionErrors(stored: readonly string[] | null, versions: readonly CrdVersion[]): FieldError[] {
  const path = 'status.storedVersions';
  if (stored === null || stored.length === 0) return [invalid(path, stored, 'must have at least one stored version')];
  const errors = versions
    .filter(version => version.storage && !stored.includes(version.name))
    .map(version => invalid(path, stored, `must have the storage version ${version.name}`));
  stored.forEach((name, i) => {
    if (versions.some(version => version.name === name)) return;
    const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(at.index(path, i), name, text));
  });
  return errors;
}

export type Approval = 'approved' | 'bypassed' | 'missing' | 'invalid';

export const isProtectedGroup = (group: string): boolean => /(?:^|\.)(?:k8s\.io|kubernetes\.io)$/.test(group);

/** Whether the owners of the Kubernetes groups agreed to an API in one of them. */
export function approvalOf(annotations: Readonly<Record<string, string>> | undefined): { state: Approval; reason: string } {
  const annotation = annotations?.[approvedAnnotation] ?? '';
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const must = `protected groups must have approval annotation ${JSON.stringify(approvedAnnotation)}`;
  if (annotation === '') return { state: 'missing', reason: `${must}, ${see}` };
  if (annotation.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${JSON.stringify(annotation)}` };
  const url = parseRequestUri(annotation);
  if (url && url.host !== '' && url.scheme !== '') return { state: 'approved', reason: `approved in ${annotation}` };
  return { state: 'invalid', reason: `${must} with either a URL or a reason starting with "unapproved", ${see}` };
}

function approvalErrors(crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  if (!isProtectedGroup(crdSpec(crd).group)) return [];
  const { state, reason } = approvalOf(crd.metadata.annotations);
  if (old && approvalOf(old.metadata.annotations).state === state) return [];
  const path = at.key('metadata.annotations', approvedAnnotation);
  if (state === 'invalid') return [invalid(path, crd.metadata.annotations?.[approvedAnnotation], reason)];
  return state === 'missing' ? [required(path, reason)] : [];
}

/** Formats that the server does not know, in the order it finds them. */
export function unknownFormats({ versions }: CrdSpec): string[] {
  const hoisted = versions.length > 0 && hoistedOf(versions).schema;
  const found: string[] = [];
  for (const version of hoisted ? versions.slice(0, 1) : versions) {
    const schema = version.schema?.openAPIV3Schema;
    if (!schema) continue;
    schemaHas(schema, ({ format = '', type = '' }) => {
      if (format !== '' && !isKnownFormat(format, type)) found.push(format);
      return false;
    });
  }
  return found;
}
