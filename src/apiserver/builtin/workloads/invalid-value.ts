import type { FieldError } from '../../../api/field-error.ts';
import { invalid } from '../../../api/field-error.ts';

export const immutable = 'field is immutable';

/** An invalid value that is not repeated in the message. */
export const invalidOmitted = (field: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${detail}`,
});

/** Appends one error for each message a format check returned. */
export function pushInvalid(errors: FieldError[], path: string, value: string, messages: readonly string[]): void {
  for (const message of messages) errors.push(invalid(path, value, message));
}

export function pushNegative(errors: FieldError[], path: string, value: number | undefined): void {
  if (value !== undefined && value < 0) errors.push(invalid(path, value, 'must be greater than or equal to 0'));
}
