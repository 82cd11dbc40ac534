import { at, forbidden, invalid, required, tooLong, tooMany, type FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isDns1123Label, isDns1123Subdomain, isLongerThan } from '../../../api/names.ts';
import { semanticEqual, validateImmutableField } from '../../validation/object-meta.ts';
import { compareQuantities, nanoUnits } from '../../validation/quantities.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { validateNodeSelector } from '../core/node-selector.ts';
import { invalidFor } from '../kind-parts.ts';
import {
  validateAttributeName,
  validateBindingConditions,
  validateDeviceName,
  validateDeviceTaint,
  validateDriverName,
  validatePoolName,
  validateSet,
} from './device-rules.ts';
import type { Device, RequestPolicy, SliceSpec } from './resource-types.ts';
import { timestamp } from '../../../util/timestamp.ts';

const specOf = (obj: KubeObject): SliceSpec => (obj['spec'] ?? {}) as SliceSpec;
const version =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

// Go prints the internal struct with all of its fields.
const printedAttribute = (attribute: Record<string, unknown>) => ({
  IntValue: attribute['int'] ?? null,
  BoolValue: attribute['bool'] ?? null,
  StringValue: attribute['string'] ?? null,
  VersionValue: attribute['version'] ?? null,
  IntValues: null,
  BoolValues: null,
  StringValues: null,
  VersionValues: null,
});

function validateAttribute(attribute: Record<string, unknown>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const checkText = (value: unknown, here: string, isVersion: boolean) => {
    if (typeof value !== 'string') return;
    if (isVersion && !version.test(value)) errors.push(invalid(here, value, 'must be a string compatible with semver.org spec 2.0.0'));
    if (isLongerThan(value, 64)) errors.push(tooLong(here, 64));
  };
  checkText(attribute['string'], at.child(path, 'string'), false);
  checkText(attribute['version'], at.child(path, 'version'), true);
  const count = ['bool', 'int', 'string', 'version'].filter(field => attribute[field] !== undefined).length;
  if (count === 0) errors.push(invalid(path, '', 'exactly one value must be specified'));
  if (count > 1) errors.push(invalid(path, printedAttribute(attribute), 'exactly one value must be specified'));
  return errors;
}

function validatePolicy(policy: RequestPolicy, capacity: string, path: string): FieldError[] {
  const { validValues = [], validRange } = policy;
  const preset = policy.default ?? undefined;
  if (validValues.length > 0 && validRange)
    return [forbidden(path, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')];
  if (validValues.length > 0) {
    if (preset === undefined) return [required(at.child(path, 'default'), 'required when validValues is defined')];
    const here = at.child(path, 'validValues');
    const errors = validValues.flatMap((value, i) =>
      i > 0 && compareQuantities(validValues[i - 1], value) > 0
        ? [invalid(at.index(here, i), value, 'values must be sorted in ascending order')]
        : [],
    );
    errors.push(
      ...validateSet(
        validValues,
        10,
        here,
        (value, valuePath) =>
          compareQuantities(value, capacity) > 0 ? [invalid(valuePath, value, `option is larger than capacity value: ${capacity}`)] : [],
        value => String(nanoUnits(value) / 1_000_000_000n),
      ),
    );
    if (!validValues.some(value => compareQuantities(value, preset) === 0))
      errors.push(invalid(here, preset, 'default value is not valid according to the requestPolicy'));
    return errors;
  }
  if (!validRange) return [];
  return preset === undefined
    ? [required(at.child(path, 'default'), 'required when validRange is defined')]
    : validateRange(validRange, preset, capacity, at.child(path, 'validRange'));
}

function validateRange(range: NonNullable<RequestPolicy['validRange']>, preset: string, capacity: string, path: string): FieldError[] {
  const { min, max, step } = range;
  if (min === undefined) return [required(at.child(path, 'min'), 'required when validRange is defined')];
  const errors: FieldError[] = [];
  const refuse = (field: string, value: string, detail: string) => errors.push(invalid(at.child(path, field), value, detail));
  if (compareQuantities(min, capacity) > 0) refuse('min', min, `min is larger than capacity value: ${capacity}`);
  if (compareQuantities(preset, min) < 0) refuse('min', preset, `default is less than min: ${min}`);
  if (max !== undefined) {
    if (compareQuantities(min, max) > 0) refuse('max', min, `min is larger than max: ${max}`);
    if (compareQuantities(max, capacity) > 0) refuse('max', max, `max is larger than capacity value: ${capacity}`);
    if (compareQuantities(preset, max) > 0) refuse('max', preset, `default is more than max: ${max}`);
  }
  if (step === undefined || nanoUnits(step) === 0n) return errors;
  for (const value of max === undefined ? [preset] : [preset, max])
    if ((nanoUnits(value) - nanoUnits(min)) % nanoUnits(step) !== 0n)
      refuse('step', value, `value is not a multiple of a given step (${step}) from (${min})`);
  return errors;
}

function validateNodeChoice(device: Device, isPerDevice: boolean, path: string): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!isPerDevice) {
    if (nodeName === undefined && !nodeSelector && allNodes === undefined) return [];
    const only =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    return [invalid(path, null, only)];
  }
  const errors: FieldError[] = [];
  const set: string[] = [];
  if (nodeName) {
    set.push('`nodeName`');
    errors.push(...invalidFor(at.child(path, 'nodeName'), nodeName, isDns1123Subdomain(nodeName)));
  } else if (nodeName === '') errors.push(invalid(at.child(path, 'nodeName'), '', 'must not be empty'));
  if (nodeSelector) {
    set.push('`nodeSelector`');
    errors.push(...validateNodeSelector(nodeSelector, at.child(path, 'nodeSelector')));
  }
  if (allNodes) set.push('`allNodes`');
  else if (allNodes === false) errors.push(invalid(at.child(path, 'allNodes'), false, 'must be either unset or set to true'));
  const one =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (set.length === 0) errors.push(required(path, one));
  if (set.length > 1) errors.push(invalid(path, `{${set.join(', ')}}`, one));
  return errors;
}

function validateDevice(device: Device, old: Device | undefined, isPerDevice: boolean, path: string): FieldError[] {
  const errors = validateDeviceName(device.name ?? '', at.child(path, 'name'));
  const { attributes = {}, capacity = {}, taints, consumesCounters } = device;
  const total = Object.keys(attributes).length + Object.keys(capacity).length;
  if (total > 32) errors.push(invalid(path, total, 'the total number of attributes and capacities must not exceed 32'));
  for (const [name, attribute] of Object.entries(attributes))
    errors.push(
      ...validateAttributeName(name, at.child(path, 'attributes')),
      ...validateAttribute(attribute, at.key(at.child(path, 'attributes'), name)),
    );
  for (const [name, { value = '0', requestPolicy }] of Object.entries(capacity)) {
    errors.push(...validateAttributeName(name, at.child(path, 'capacity')));
    if (!requestPolicy) continue;
    const here = at.child(at.key(at.child(path, 'capacity'), name), 'requestPolicy');
    errors.push(
      ...(device.allowMultipleAllocations
        ? validatePolicy(requestPolicy, value, here)
        : [forbidden(here, 'allowMultipleAllocations must be true')]),
    );
  }
  if (!old || !semanticEqual(old.taints, taints)) errors.push(...validateSet(taints, 16, at.child(path, 'taints'), validateDeviceTaint));
  errors.push(
    ...validateSet(
      consumesCounters,
      2,
      at.child(path, 'consumesCounters'),
      ({ counterSet = '', counters }, here) => [
        ...(counterSet === ''
          ? [required(at.child(here, 'counterSet'))]
          : invalidFor(at.child(here, 'counterSet'), counterSet, isDns1123Label(counterSet))),
        ...validateCounters(counters, at.child(here, 'counters')),
      ],
      ({ counterSet = '' }) => counterSet,
    ),
  );
  errors.push(...validateNodeChoice(device, isPerDevice, path));
  return [...errors, ...validateBindingConditions(device.bindingConditions ?? [], device.bindingFailureConditions ?? [], path)];
}

function validateCounters(counters: Record<string, unknown> | undefined, path: string): FieldError[] {
  const names = Object.keys(counters ?? {});
  if (names.length === 0) return [required(path)];
  if (names.length > 32) return [tooMany(path, names.length, 32)];
  return names.flatMap(name => invalidFor(path, name, isDns1123Label(name)));
}

function validateSliceNodes(spec: SliceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const set: string[] = [];
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  if (nodeName) {
    set.push('`nodeName`');
    errors.push(...invalidFor('spec.nodeName', nodeName, isDns1123Subdomain(nodeName)));
  } else if (nodeName === '') errors.push(invalid('spec.nodeName', '', 'must be either unset or set to a non-empty string'));
  if (nodeSelector) {
    set.push('`nodeSelector`');
    errors.push(...validateNodeSelector(nodeSelector, 'spec.nodeSelector'));
    const terms = nodeSelector.nodeSelectorTerms ?? [];
    if (terms.length !== 1) errors.push(invalid('spec.nodeSelector.nodeSelectorTerms', terms, 'must have exactly one node selector term'));
  }
  for (const [field, value] of [
    ['allNodes', allNodes],
    ['perDeviceNodeSelection', perDeviceNodeSelection],
  ] as const)
    if (value) set.push(`\`${field}\``);
    else if (value === false) errors.push(invalid(`spec.${field}`, false, 'must be either unset or set to true'));
  const one = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (set.length === 0) errors.push(required('spec', one));
  if (set.length > 1) errors.push(invalid('spec', `{${set.join(', ')}}`, `${one}, but multiple fields are set`));
  return errors;
}

function validateSlice(obj: KubeObject, old?: KubeObject): FieldError[] {
  const spec = specOf(obj);
  const oldSpec = old && specOf(old);
  const { pool = {}, devices = [] } = spec;
  const errors = [...validateDriverName(spec.driver ?? '', 'spec.driver'), ...validatePoolName(pool.name ?? '', 'spec.pool.name')];
  if ((pool.resourceSliceCount ?? 0) <= 0)
    errors.push(invalid('spec.pool.resourceSliceCount', pool.resourceSliceCount ?? 0, 'must be greater than zero'));
  if ((pool.generation ?? 0) < 0) errors.push(invalid('spec.pool.generation', pool.generation, 'must be greater than or equal to zero'));
  if (oldSpec)
    errors.push(
      ...validateImmutableField(pool.name, oldSpec.pool?.name, 'spec.pool.name'),
      ...validateImmutableField(spec.driver, oldSpec.driver, 'spec.driver'),
      ...validateImmutableField(spec.nodeName, oldSpec.nodeName, 'spec.nodeName'),
    );
  errors.push(...validateSliceNodes(spec));
  if (spec.sharedCounters && spec.devices) errors.push(invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed'));
  const isAdvanced = devices.some(device => (device.taints ?? []).length > 0 || (device.consumesCounters ?? []).length > 0);
  const before = new Map((oldSpec?.devices ?? []).map(device => [device.name, device]));
  errors.push(
    ...validateSet(
      devices,
      isAdvanced ? 64 : 128,
      'spec.devices',
      (device, path) => validateDevice(device, before.get(device.name), spec.perDeviceNodeSelection ?? false, path),
      device => device.name ?? '',
    ),
    ...validateSet(
      spec.sharedCounters,
      8,
      'spec.sharedCounters',
      ({ name = '', counters }, path) => [
        ...(name === '' ? [required(at.child(path, 'name'))] : invalidFor(at.child(path, 'name'), name, isDns1123Label(name))),
        ...validateCounters(counters, at.child(path, 'counters')),
      ],
      ({ name = '' }) => name,
    ),
  );
  return errors;
}

function driverWarning(obj: KubeObject): string[] {
  const { driver = '' } = specOf(obj);
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
}

export const resourceSliceKind: BuiltinKind = {
  selectableFields: {
    'spec.nodeName': obj => specOf(obj).nodeName ?? '',
    'spec.driver': obj => specOf(obj).driver ?? '',
  },
  setDefaults(obj) {
    for (const device of specOf(obj).devices ?? []) for (const taint of device.taints ?? []) taint.timeAdded ??= timestamp(new Date());
  },
  strategy: {
    hasGeneration: true,
    returnsDeletedObject: true,
    validate: obj => validateSlice(obj),
    validateUpdate: (obj, old) => validateSlice(obj, old),
    warningsOnCreate: driverWarning,
    warningsOnUpdate: (obj, old) => (specOf(obj).driver === specOf(old).driver ? [] : driverWarning(obj)),
  },
};
