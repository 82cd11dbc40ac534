import { escapeHtmlInJson } from '../util/go-print.ts';
import { goQuote } from '../util/go-quote.ts';
import { printJson } from '../util/json.ts';
import type { StatusCause } from './status.ts';

/** The kinds of field error that the Kubernetes API reports, by the reason it gives in `details.causes`. */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError';

/** One thing that is wrong with one field. `message` is the whole text after the path, as the API prints it. */
export interface FieldError {
  type: FieldErrorType;
  field: string;
  message: string;
}

const error = (type: FieldErrorType, field: string, message: string): FieldError => ({ type, field, message });
const because = (prefix: string, detail: string) => (detail === '' ? prefix : `${prefix}: ${detail}`);

/** How Go's field package prints a value in a message: strings quoted, everything else as JSON, absent as null. */
function printValue(value: unknown): string {
  if (value === undefined) return 'null';
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'object' ? escapeHtmlInJson(printJson(value)) : printJson(value);
}

export const required = (field: string, detail = '') => error('FieldValueRequired', field, because('Required value', detail));
export const invalid = (field: string, value: unknown, detail: string) =>
  error('FieldValueInvalid', field, because(`Invalid value: ${printValue(value)}`, detail));
export const typeInvalid = (field: string, value: unknown, detail: string) =>
  error('FieldValueTypeInvalid', field, because(`Invalid value: ${printValue(value)}`, detail));
export const forbidden = (field: string, detail: string) => error('FieldValueForbidden', field, because('Forbidden', detail));
export const duplicate = (field: string, value: unknown) => error('FieldValueDuplicate', field, `Duplicate value: ${printValue(value)}`);
export const notFound = (field: string, value: unknown) => error('FieldValueNotFound', field, `Not found: ${printValue(value)}`);
export const internalError = (field: string, detail: string) => error('InternalError', field, `Internal error: ${detail}`);
export const tooLong = (field: string, maxBytes: number) =>
  error('FieldValueTooLong', field, maxBytes < 0 ? 'Too long: value is too long' : `Too long: may not be more than ${maxBytes} bytes`);
export const tooMany = (field: string, actual: number, max: number) =>
  error('FieldValueTooMany', field, `Too many: ${actual}: must have at most ${max} items`);
export const notSupported = (field: string, value: unknown, supported: readonly string[]) =>
  error(
    'FieldValueNotSupported',
    field,
    `Unsupported value: ${printValue(value)}: supported values: ${supported.map(v => JSON.stringify(v)).join(', ')}`,
  );

export const at = {
  /** Path of a named field: `spec.replicas`. */
  child: (path: string, ...names: string[]) => names.reduce((p, name) => (p === '' ? name : `${p}.${name}`), path),
  /** Path of a list item: `spec.containers[0]`. */
  index: (path: string, i: number) => `${path}[${i}]`,
  /** Path of a map entry: `metadata.labels[app]`. */
  key: (path: string, key: string) => `${path}[${key}]`,
};

export function causeOf(e: FieldError): StatusCause {
  return { reason: e.type, message: e.message, field: e.field };
}
