import { at, duplicate, invalid, notSupported, required, tooLong, tooMany, type FieldError } from '../../../api/field-error.ts';
import { printJson } from '../../../util/json.ts';
import { CelIssues } from '../../../cel/cel-issues.ts';
import { celTypes, printType } from '../../../cel/cel-type.ts';
import { compileCel } from '../../../cel/compile-cel.ts';
import { byteLength, isCIdentifier, isDns1123Label, isDns1123Subdomain, isLabelValue, isLongerThan } from '../../../api/names.ts';
import { validateLabelName } from '../../validation/object-meta.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';

export const validateDriverName = validateCsiDriverName;
export const validateDeviceName = (name: string, path: string): FieldError[] => invalidFor(path, name, isDns1123Label(name));

const maxParametersBytes = 10 * 1024;

/** Each item of a list that has no two of the same key and no more than so many. */
export function validateSet<T>(
  items: readonly T[] | undefined,
  max: number,
  path: string,
  check: (item: T, path: string) => FieldError[],
  keyOf?: (item: T) => string,
): FieldError[] {
  const list = items ?? [];
  if (max >= 0 && list.length > max) return [tooMany(path, list.length, max)];
  const errors = list.flatMap((item, i) => check(item, at.index(path, i)));
  if (!keyOf) return errors;
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) errors.push(duplicate(at.index(path, i), key));
    seen.add(key);
  }
  return errors;
}

export function validatePoolName(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)];
  return [
    ...(isLongerThan(name, 253) ? [tooLong(path, 253)] : []),
    ...name.split('/').flatMap(part => invalidFor(path, part, isDns1123Subdomain(part))),
  ];
}

function validateIdentifier(id: string, path: string): FieldError[] {
  return [...(isLongerThan(id, 32) ? [tooLong(path, 32)] : []), ...invalidFor(path, id, isCIdentifier(id))];
}

/** `memory`, or `gpu.example.com/memory`. */
export function validateAttributeName(name: string, path: string): FieldError[] {
  const parts = name.split('/');
  const [first = '', second = ''] = parts;
  if (parts.length === 1) return validateIdentifier(first, path);
  if (parts.length > 2) return [];
  return [
    ...(first === '' ? [invalid(path, '', 'the domain must not be empty')] : validateDriverName(first, path)),
    ...(second === '' ? [invalid(path, '', 'the name must not be empty')] : validateIdentifier(second, path)),
  ];
}

export function validateFullAttributeName(name: string, path: string): FieldError[] {
  return [
    ...validateAttributeName(name, path),
    ...(name.includes('/') ? [] : [invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash')]),
  ];
}

const deviceType = celTypes.object('kubernetes.DRADevice', {
  driver: celTypes.string,
  attributes: celTypes.map(celTypes.string, celTypes.map(celTypes.string, celTypes.dyn)),
  capacity: celTypes.map(celTypes.string, celTypes.map(celTypes.string, celTypes.opaque('kubernetes.Quantity'))),
  allowMultipleAllocations: celTypes.bool,
});

/** Selectors of devices are expressions; there is no other kind of selector yet. */
export function validateSelectors(selectors: readonly { cel?: { expression?: string } }[] | undefined, path: string): FieldError[] {
  return validateSet(selectors, 32, path, ({ cel }, here) => {
    const celPath = at.child(here, 'cel');
    return cel ? validateExpression(cel.expression ?? '', at.child(celPath, 'expression')) : [required(celPath)];
  });
}

function validateExpression(expression: string, path: string): FieldError[] {
  if (isLongerThan(expression, maxParametersBytes)) return [tooLong(path, maxParametersBytes)];
  try {
    const found = printType(compileCel(expression, { variables: { device: deviceType } }).resultType);
    return found === 'bool' || found === 'dyn'
      ? []
      : [invalid(path, expression, `must evaluate to bool or the unknown type, not ${found}`)];
  } catch (e) {
    if (e instanceof CelIssues) return [invalid(path, expression, `compilation failed: ${e.message}`)];
    throw e;
  }
}

/** Parameters only the driver understands: any JSON object of moderate size. */
export function validateRawObject(value: unknown, path: string): FieldError[] {
  if (value === undefined || value === null) return [required(path)];
  if (byteLength(printJson(value)) > maxParametersBytes) return [tooLong(path, maxParametersBytes)];
  return typeof value === 'object' && !Array.isArray(value) ? [] : [invalid(path, '<value omitted>', 'must be a valid JSON object')];
}

export function validateConfiguration(config: { opaque?: { driver?: string; parameters?: unknown } }, path: string): FieldError[] {
  const { opaque } = config;
  const here = at.child(path, 'opaque');
  if (!opaque) return [required(here)];
  return [
    ...validateDriverName(opaque.driver ?? '', at.child(here, 'driver')),
    ...validateRawObject(opaque.parameters, at.child(here, 'parameters')),
  ];
}

const effects = ['NoExecute', 'NoSchedule', 'None'];

export function validateDeviceTaint(taint: { key?: string; value?: string; effect?: string }, path: string): FieldError[] {
  const { key = '', value = '', effect = '' } = taint;
  return [
    ...validateLabelName(key, at.child(path, 'key')),
    ...(value === '' ? [] : invalidFor(at.child(path, 'value'), value, isLabelValue(value))),
    ...(effect === ''
      ? [required(at.child(path, 'effect'))]
      : oneOf(effect, effects)
        ? []
        : [notSupported(at.child(path, 'effect'), effect, effects)]),
  ];
}

export function validateDeviceToleration(
  toleration: { key?: string; operator?: string; value?: string; effect?: string },
  path: string,
): FieldError[] {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  const errors = key === '' ? [] : validateLabelName(key, at.child(path, 'key'));
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(at.child(path, 'value'), value, 'must be empty for operator `Exists`'));
  } else if (operator === 'Equal') errors.push(...invalidFor(at.child(path, 'value'), value, isLabelValue(value)));
  else if (operator === '') errors.push(required(at.child(path, 'operator')));
  else errors.push(notSupported(at.child(path, 'operator'), operator, ['Equal', 'Exists']));
  if (effect !== '' && !oneOf(effect, effects)) errors.push(notSupported(at.child(path, 'effect'), effect, effects));
  return errors;
}

export function validateBindingConditions(conditions: readonly string[], failures: readonly string[], path: string): FieldError[] {
  const conditionsPath = at.child(path, 'bindingConditions');
  const failuresPath = at.child(path, 'bindingFailureConditions');
  const errors = [
    ...validateSet(conditions, 4, conditionsPath, validateLabelName),
    ...validateSet(failures, 4, failuresPath, validateLabelName),
  ];
  for (const [i, condition] of conditions.entries())
    if (conditions.indexOf(condition) < i) errors.push(duplicate(at.index(conditionsPath, i), condition));
  for (const [i, condition] of failures.entries()) {
    if (failures.indexOf(condition) < i) errors.push(duplicate(at.index(failuresPath, i), condition));
    if (conditions.includes(condition))
      errors.push(invalid(at.index(failuresPath, i), condition, 'bindingFailureConditions must not overlap with bindingConditions'));
  }
  if (conditions.length === 0 && failures.length > 0)
    errors.push(invalid(conditionsPath, null, 'bindingConditions are required to use bindingFailureConditions'));
  if (failures.length === 0 && conditions.length > 0)
    errors.push(invalid(failuresPath, null, 'bindingFailureConditions are required to use bindingConditions'));
  return errors;
}
