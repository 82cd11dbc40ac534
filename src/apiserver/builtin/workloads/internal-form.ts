import type { FieldError } from '../../../api/field-error.ts';
import { internalTypes } from './internal-types.ts';
import { formatQuantity } from '../../validation/quantities.ts';
import { unifiedDiff } from '../../validation/unified-diff.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * An object as Go holds it inside the server, ready to be printed: the server shows these forms, with their own names and
 * order and with every absent field, when it refuses a change.
 */
export function internalForm(type: string, value: object): Record<string, unknown> {
  const fields = (type === 'PodSpec' ? withHostNamespaces(value as Fields) : value) as Fields;
  const form: Record<string, unknown> = {};
  for (const [name, jsonName, kind] of internalTypes[type] ?? []) {
    if (kind === 'meta') Object.assign(form, metadataForm((fields['metadata'] ?? {}) as Fields));
    else form[name] = fieldForm(kind, fields[jsonName]);
  }
  return form;
}

// Inside the server, what a pod shares with its host belongs to the security context.
function withHostNamespaces(spec: Fields): Fields {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext, ...rest } = spec;
  if (securityContext === undefined) return rest;
  return {
    ...rest,
    securityContext: { ...(securityContext as Fields), hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers },
  };
}

function fieldForm(kind: string, value: unknown): unknown {
  const space = kind.indexOf(' ');
  const how = space < 0 ? kind : kind.slice(0, space);
  const type = space < 0 ? '' : kind.slice(space + 1);
  const isGiven = value !== undefined && value !== null;
  switch (how) {
    case 'string':
      return value ?? '';
    case 'bool':
      return value ?? false;
    case 'int':
    case 'intOrString':
      return value ?? 0;
    case 'quantity':
      return isGiven ? formatQuantity(value as string) : '0';
    case 'struct':
      return internalForm(type, isGiven ? (value as object) : {});
    case 'map':
      return isGiven ? sortedMap(value as Fields) : null;
    case 'list':
      if (!isGiven) return null;
      return type === '' ? value : (value as object[]).map(item => internalForm(type, item));
    default:
      if (!isGiven) return null;
      if (type !== '') return internalForm(type, value as object);
      return typeof value === 'object' ? selectorForm(value as Fields) : value;
  }
}

function sortedMap(map: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map(key => [key, map[key]]),
  );
}

function selectorForm(selector: Fields): Record<string, unknown> {
  const { matchLabels, matchExpressions } = selector as { matchLabels?: Fields; matchExpressions?: Fields[] };
  return {
    ...(matchLabels && { matchLabels: sortedMap(matchLabels) }),
    ...(matchExpressions && {
      matchExpressions: matchExpressions.map(({ key, operator, values }) => ({ key, operator, ...(values !== undefined && { values }) })),
    }),
  };
}

const metadataFields = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

function metadataForm(meta: Fields): Record<string, unknown> {
  const form: Record<string, unknown> = {};
  for (const name of metadataFields) {
    const value = meta[name];
    if (value === undefined || value === null || value === '') continue;
    form[name] = name === 'labels' || name === 'annotations' ? sortedMap(value as Fields) : value;
  }
  return form;
}

/** Go's JSON printer writes these characters so that a browser cannot mistake the text for HTML. */
function printGoJson(value: unknown, indent?: string): string {
  return JSON.stringify(value, undefined, indent).replace(/[<>&\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export const invalidInternal = (field: string, type: string, value: object | undefined, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${value === undefined ? 'null' : printGoJson(internalForm(type, value))}: ${detail}`,
});

export const notSupportedInternal = (field: string, type: string, value: object, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${printGoJson(internalForm(type, value))}: supported values: ${supported.map(v => JSON.stringify(v)).join(', ')}`,
});

/** What changed between two objects, as the server explains it. */
export function internalDiff(type: string, old: object, next: object): string {
  return unifiedDiff(printGoJson(internalForm(type, old), ' '), printGoJson(internalForm(type, next), ' '));
}
