import { randomUUID } from 'node:crypto';
import { at, duplicate, forbidden, invalid, required, type FieldError } from '../../../api/field-error.ts';
import type { LimitRange, LimitRangeItem } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isQualifiedName } from '../../../api/names.ts';
import { compareQuantities, nanoUnits } from '../../validation/quantities.ts';
import { isOvercommitAllowed, validateContainerResourceName, validateResourceName } from '../../validation/resource-list.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';

const asLimitRange = (obj: KubeObject) => obj as unknown as LimitRange;
const standardTypes = ['Pod', 'Container', 'PersistentVolumeClaim'];

function setItemDefaults(item: LimitRangeItem): void {
  if (item.type !== 'Container') return;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

function validateType(type: string, path: string): FieldError[] {
  const errors = invalidFor(path, type, isQualifiedName(type));
  if (errors.length > 0 || type.includes('/') || oneOf(type, standardTypes)) return errors;
  return [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

function validateItem(item: LimitRangeItem, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const keys = new Set<string>();
  const checkName = item.type === 'Pod' || item.type === 'Container' ? validateContainerResourceName : validateResourceName;
  const checkNames = (field: 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio') => {
    for (const name in item[field]) {
      errors.push(...checkName(name, at.key(at.child(path, field), name)));
      keys.add(name);
    }
  };
  const isSet = (list: object | undefined) => list !== undefined && Object.keys(list).length > 0;

  checkNames('max');
  checkNames('min');
  if (item.type === 'Pod') {
    for (const field of ['default', 'defaultRequest'] as const)
      if (isSet(item[field])) errors.push(forbidden(at.child(path, field), "may not be specified when `type` is 'Pod'"));
  } else {
    checkNames('default');
    checkNames('defaultRequest');
  }
  if (item.type === 'PersistentVolumeClaim' && item.min?.['storage'] === undefined && item.max?.['storage'] === undefined)
    errors.push(required(at.child(path, 'limits'), 'either minimum or maximum storage value is required, but neither was provided'));
  checkNames('maxLimitRequestRatio');
  for (const name of keys) errors.push(...validateOrder(item, name, path));
  return errors;
}

// The order of the bounds of one resource: min <= defaultRequest <= default <= max.
function validateOrder(item: LimitRangeItem, name: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const isPod = item.type === 'Pod';
  const min = item.min?.[name];
  const max = item.max?.[name];
  const limit = isPod ? undefined : item.default?.[name];
  const request = isPod ? undefined : item.defaultRequest?.[name];
  const ratio = item.maxLimitRequestRatio?.[name];
  const refuse = (field: string, value: string | number, detail: string) =>
    errors.push(invalid(at.key(at.child(path, field), name), value, detail));

  if (min !== undefined && max !== undefined && compareQuantities(min, max) > 0)
    refuse('min', min, `min value ${min} is greater than max value ${max}`);
  if (request !== undefined && min !== undefined && compareQuantities(min, request) > 0)
    refuse('defaultRequest', request, `min value ${min} is greater than default request value ${request}`);
  if (request !== undefined && max !== undefined && compareQuantities(request, max) > 0)
    refuse('defaultRequest', request, `default request value ${request} is greater than max value ${max}`);
  if (request !== undefined && limit !== undefined && compareQuantities(request, limit) > 0)
    refuse('defaultRequest', request, `default request value ${request} is greater than default limit value ${limit}`);
  if (limit !== undefined && min !== undefined && compareQuantities(min, limit) > 0)
    refuse('default', min, `min value ${min} is greater than default value ${limit}`);
  if (limit !== undefined && max !== undefined && compareQuantities(limit, max) > 0)
    refuse('default', max, `default value ${limit} is greater than max value ${max}`);
  if (ratio !== undefined && compareQuantities(ratio, 1) < 0) refuse('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`);
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const most = Number(nanoUnits(max)) / Number(nanoUnits(min));
    if (Number(nanoUnits(ratio)) / 1e9 > most)
      refuse('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`);
  }
  if (!isOvercommitAllowed(name) && limit !== undefined && request !== undefined && compareQuantities(limit, request) !== 0)
    refuse('defaultRequest', request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`);
  return errors;
}

function validateLimitRange(obj: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, item] of (asLimitRange(obj).spec?.limits ?? []).entries()) {
    const path = at.index('spec.limits', i);
    errors.push(...validateType(item.type, at.child(path, 'type')));
    if (seen.has(item.type)) errors.push(duplicate(at.child(path, 'type'), item.type));
    seen.add(item.type);
    errors.push(...validateItem(item, path));
  }
  return errors;
}

export const limitRangeKind: BuiltinKind = {
  setDefaults: obj => (asLimitRange(obj).spec?.limits ?? []).forEach(setItemDefaults),
  strategy: {
    allowCreateOnUpdate: true,
    prepareForCreate(obj) {
      if (!obj.metadata.generateName) obj.metadata.name ||= randomUUID();
    },
    validate: validateLimitRange,
    validateUpdate: validateLimitRange,
  },
};
