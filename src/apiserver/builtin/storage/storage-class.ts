import { at, duplicate, forbidden, invalid, notSupported, required, tooLong, type FieldError } from '../../../api/field-error.ts';
import type { StorageClass, TopologySelectorTerm, VolumeAttributesClass } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { jsonEqual } from '../../../util/json.ts';
import { byteLength, isQualifiedName } from '../../../api/names.ts';
import { validateImmutableField, validateLabelName } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';
import { nodeLabelWarning } from '../node-label-warnings.ts';

const asClass = (obj: KubeObject) => obj as unknown as StorageClass;
const asAttributes = (obj: KubeObject) => obj as unknown as VolumeAttributesClass;
const maxParameterBytes = 256 * 1024;

function validateProvisioner(name: string, path: string): FieldError[] {
  return name === '' ? [required(path)] : invalidFor(path, name.toLowerCase(), isQualifiedName(name.toLowerCase()));
}

function validateParameters(parameters: Readonly<Record<string, string>>, mayBeEmpty: boolean): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > 512) return [tooLong('parameters', 512)];
  const errors = entries.filter(([key]) => key === '').map(([key]) => invalid('parameters', key, 'field can not be empty.'));
  const size = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (size > maxParameterBytes) errors.push(tooLong('parameters', maxParameterBytes));
  if (!mayBeEmpty && entries.length === 0) errors.push(required('parameters', 'must contain at least one key/value pair'));
  return errors;
}

function validateTopologies(terms: readonly TopologySelectorTerm[]): FieldError[] {
  const errors: FieldError[] = [];
  // The server compares with terms that are not there as well, so that an empty one is a duplicate.
  const earlier: Record<string, string[]>[] = [{}];
  for (const [i, term] of terms.entries()) {
    const path = at.child(at.index('allowedTopologies', i), 'matchLabelExpressions');
    const keys: Record<string, string[]> = {};
    for (const [j, { key, values: given }] of (term.matchLabelExpressions ?? []).entries()) {
      const values = given ?? [];
      const here = at.index(path, j);
      if (values.length === 0) errors.push(required(at.child(here, 'values')));
      for (const [k, value] of values.entries())
        if (values.indexOf(value) < k) errors.push(duplicate(at.index(at.child(here, 'values'), k), value));
      errors.push(...validateLabelName(key, at.child(here, 'key')));
      if (Object.hasOwn(keys, key)) errors.push(duplicate(at.child(here, 'key'), key));
      keys[key] = [...new Set(values)].sort();
    }
    if (earlier.some(other => jsonEqual(other, keys))) errors.push(duplicate(path, ''));
    earlier.push(keys);
  }
  return errors;
}

function validateClass(obj: KubeObject): FieldError[] {
  const { provisioner = '', parameters = {}, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = asClass(obj);
  const errors = [...validateProvisioner(provisioner, 'provisioner'), ...validateParameters(parameters, true)];
  if (reclaimPolicy && !oneOf(reclaimPolicy, ['Delete', 'Retain']))
    errors.push(notSupported('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain']));
  const modes = ['Immediate', 'WaitForFirstConsumer'];
  if (volumeBindingMode === undefined) errors.push(required('volumeBindingMode'));
  else if (!oneOf(volumeBindingMode, modes)) errors.push(notSupported('volumeBindingMode', volumeBindingMode, modes));
  return [...errors, ...validateTopologies(allowedTopologies)];
}

const warnings = (obj: KubeObject): string[] =>
  (asClass(obj).allowedTopologies ?? []).flatMap((term, i) =>
    (term.matchLabelExpressions ?? []).flatMap(({ key }, j) => {
      const warning = nodeLabelWarning(key);
      return warning === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${warning}`];
    }),
  );

export const storageClassKind: BuiltinKind = {
  setDefaults(obj) {
    asClass(obj).reclaimPolicy ??= 'Delete';
    asClass(obj).volumeBindingMode ??= 'Immediate';
  },
  strategy: {
    returnsDeletedObject: true,
    validate: validateClass,
    validateUpdate: (obj, old) => [
      ...validateClass(obj),
      ...(['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const).flatMap(field =>
        validateImmutableField(asClass(obj)[field], asClass(old)[field], field),
      ),
    ],
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  },
};

function validateAttributes(obj: KubeObject): FieldError[] {
  const { driverName = '', parameters = {} } = asAttributes(obj);
  return [...validateProvisioner(driverName, 'driverName'), ...validateParameters(parameters, false)];
}

export const volumeAttributesClassKind: BuiltinKind = {
  strategy: {
    returnsDeletedObject: true,
    validate: validateAttributes,
    validateUpdate(obj, old) {
      const errors: FieldError[] = [];
      if (asAttributes(obj).driverName !== asAttributes(old).driverName)
        errors.push(forbidden('driverName', 'updates to driverName are forbidden.'));
      if (!jsonEqual(asAttributes(obj).parameters ?? {}, asAttributes(old).parameters ?? {}))
        errors.push(forbidden('parameters', 'updates to parameters are forbidden.'));
      return [...errors, ...validateAttributes(obj)];
    },
  },
};
