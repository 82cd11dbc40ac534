import { at, duplicate, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { RuntimeClass, Toleration } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isDns1123Label, isLabelValue } from '../../../api/names.ts';
import { validateImmutableField, validateLabelName, validateLabels } from '../../validation/object-meta.ts';
import { validateContainerResourceName, validateResourceQuantityValue } from '../../validation/resource-list.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { invalidFor, oneOf } from '../kind-parts.ts';
import { nodeLabelWarning } from '../node-label-warnings.ts';

const asClass = (obj: KubeObject) => obj as unknown as RuntimeClass;
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateToleration(toleration: Toleration, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  if (key !== '') errors.push(...validateLabelName(key, at.child(path, 'key')));
  else if (operator !== 'Exists')
    errors.push(
      invalid(
        at.child(path, 'operator'),
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    errors.push(invalid(at.child(path, 'effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  if (operator === 'Equal' || operator === '') {
    const problems = isLabelValue(value);
    if (problems.length > 0) errors.push(invalid(at.child(path, 'operator'), value, problems.join(';')));
  } else if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(at.child(path, 'operator'), value, "value must be empty when `operator` is 'Exists'"));
  } else {
    const known = operator === 'Lt' || operator === 'Gt' ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists'];
    errors.push(notSupported(at.child(path, 'operator'), operator, known));
  }
  if (effect !== '' && !oneOf(effect, effects)) errors.push(notSupported(at.child(path, 'effect'), effect, effects));
  return errors;
}

function validateTolerations(tolerations: readonly Toleration[], path: string): FieldError[] {
  const errors = tolerations.flatMap((toleration, i) => validateToleration(toleration, at.index(path, i)));
  const seen = new Set<string>();
  for (const [i, { key = '', operator = '', value = '', effect = '', tolerationSeconds }] of tolerations.entries()) {
    const identity = JSON.stringify([key, operator, value, effect]);
    const shown = { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: tolerationSeconds ?? null };
    if (seen.has(identity)) errors.push(duplicate(at.index(path, i), shown));
    seen.add(identity);
  }
  return errors;
}

function validateClass(obj: KubeObject): FieldError[] {
  const { handler, overhead, scheduling } = asClass(obj);
  const errors = handler ? invalidFor('handler', handler, isDns1123Label(handler)) : [required('handler')];
  for (const [name, amount] of Object.entries(overhead?.podFixed ?? {})) {
    const path = at.key('overhead.limits', name);
    errors.push(...validateContainerResourceName(name, path), ...validateResourceQuantityValue(name, amount, path));
  }
  if (scheduling)
    errors.push(
      ...validateLabels(scheduling.nodeSelector, 'scheduling.nodeSelector'),
      ...validateTolerations(scheduling.tolerations ?? [], 'scheduling.tolerations'),
    );
  return errors;
}

const warnings = (obj: KubeObject): string[] =>
  Object.keys(asClass(obj).scheduling?.nodeSelector ?? {}).flatMap(label => {
    const warning = nodeLabelWarning(label);
    return warning === undefined ? [] : [`scheduling.nodeSelector: ${warning}`];
  });

export const runtimeClassKind: BuiltinKind = {
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    validate: validateClass,
    validateUpdate: (obj, old) => [...validateClass(obj), ...validateImmutableField(asClass(obj).handler, asClass(old).handler, 'handler')],
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  },
};
