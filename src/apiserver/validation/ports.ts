import { invalid, type FieldError } from '../../api/field-error.ts';
import { isPercent, isValidPortName, isValidPortNum } from '../../api/names.ts';

export const protocols = ['SCTP', 'TCP', 'UDP'] as const;

/** A port by number or by name. */
export function validatePortNumOrName(port: number | string, path: string): FieldError[] {
  const problems = typeof port === 'number' ? isValidPortNum(port) : isValidPortName(port);
  return problems.map(problem => invalid(path, port, problem));
}

/** `5` or `25%`; both non-negative. */
export function validateNonNegativeIntOrPercent(value: number | string, path: string): FieldError[] {
  if (typeof value === 'string') return isPercent(value).map(problem => invalid(path, value, problem));
  return value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}

function percentOf(value: number | string): number | undefined {
  return typeof value === 'string' && /^[0-9]+%$/.test(value) ? Number(value.slice(0, -1)) : undefined;
}

export function isNotMoreThan100Percent(value: number | string, path: string): FieldError[] {
  const percent = percentOf(value);
  return percent !== undefined && percent > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
}
