import type { FieldError } from '../../../api/field-error.ts';
import { at, duplicate, invalid, notSupported, required } from '../../../api/field-error.ts';
import type { PodReadinessGate, PodSchedulingGate, Toleration, TopologySpreadConstraint } from '../../../api/kubernetes.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { isLabelValue, isQualifiedName } from '../../../api/names.ts';
import { validateLabelName } from '../../validation/object-meta.ts';
import { pushInvalid } from './invalid-value.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { validateLegacySpreadLabelKeys, validateSpreadLabelKeys } from './validate-affinity.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(tolerations: readonly Toleration[], path: string, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  tolerations.forEach((toleration, i) => {
    const own = at.index(path, i);
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    if (key) errors.push(...validateLabelName(key, at.child(own, 'key')));
    if (!key && operator !== 'Exists')
      errors.push(
        invalid(
          at.child(own, 'operator'),
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute')
      errors.push(invalid(at.child(own, 'effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    validateOperator(operator, value, own, opts, errors);
    if (effect && !effects.includes(effect)) errors.push(notSupported(at.child(own, 'effect'), effect, effects));
  });
  return errors;
}

function validateOperator(operator: string, value: string, path: string, opts: PodValidationOptions, errors: FieldError[]): void {
  const operatorPath = at.child(path, 'operator');
  switch (operator) {
    case '':
    case 'Equal': {
      const messages = isLabelValue(value);
      if (messages.length > 0) errors.push(invalid(operatorPath, value, messages.join(';')));
      return;
    }
    case 'Exists':
      if (value) errors.push(invalid(operatorPath, value, "value must be empty when `operator` is 'Exists'"));
      return;
    case 'Lt':
    case 'Gt':
      if (!opts.allowComparingTolerations) errors.push(notSupported(operatorPath, operator, ['Equal', 'Exists', 'Lt', 'Gt']));
      else if (!/^(0|-?[1-9][0-9]*)$/.test(value))
        errors.push(invalid(at.child(path, 'value'), value, 'must be a valid decimal integer in canonical form'));
      return;
    default:
      errors.push(notSupported(operatorPath, operator, ['Equal', 'Exists']));
  }
}

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const inclusionPolicies = ['Honor', 'Ignore'];

export function validateSpread(constraints: readonly TopologySpreadConstraint[], path: string, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  constraints.forEach((constraint, i) => {
    const own = at.index(path, i);
    const { maxSkew, topologyKey, whenUnsatisfiable = '', minDomains, labelSelector, matchLabelKeys } = constraint;
    pushNotPositive(maxSkew ?? 0, at.child(own, 'maxSkew'), errors);
    if (!topologyKey) errors.push(required(at.child(own, 'topologyKey'), 'can not be empty'));
    if (!actions.includes(whenUnsatisfiable)) errors.push(notSupported(at.child(own, 'whenUnsatisfiable'), whenUnsatisfiable, actions));
    const isRepeated = constraints
      .slice(i + 1)
      .some(other => other.topologyKey === topologyKey && (other.whenUnsatisfiable ?? '') === whenUnsatisfiable);
    if (isRepeated) errors.push(duplicate(at.child(own, '{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${whenUnsatisfiable}}`));
    if (minDomains !== undefined) validateMinDomains(minDomains, whenUnsatisfiable, at.child(own, 'minDomains'), errors);
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint[name];
      if (policy !== undefined && !inclusionPolicies.includes(policy))
        errors.push(notSupported(at.child(own, name), policy, inclusionPolicies));
    }
    if (opts.allowInvalidSpreadLabelKeys)
      errors.push(...validateLegacySpreadLabelKeys(matchLabelKeys ?? [], labelSelector, at.child(own, 'matchLabelKeys')));
    else errors.push(...validateSpreadLabelKeys(matchLabelKeys, [], labelSelector, own));
    if (!opts.allowInvalidSpreadSelector) errors.push(...validateLabelSelector(labelSelector, at.child(own, 'labelSelector')));
  });
  return errors;
}

function pushNotPositive(value: number, path: string, errors: FieldError[]): void {
  if (value <= 0) errors.push(invalid(path, value, 'must be greater than zero'));
}

function validateMinDomains(minDomains: number, action: string, path: string, errors: FieldError[]): void {
  pushNotPositive(minDomains, path, errors);
  if (action !== 'DoNotSchedule')
    errors.push(invalid(path, minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`));
}

export function validateReadinessGates(gates: readonly PodReadinessGate[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  gates.forEach(({ conditionType = '' }, i) =>
    pushInvalid(errors, at.child(at.index(path, i), 'conditionType'), conditionType, isQualifiedName(conditionType)),
  );
  return errors;
}

export function validateSchedulingGates(gates: readonly PodSchedulingGate[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  gates.forEach(({ name = '' }, i) => {
    pushInvalid(errors, at.index(path, i), name, isQualifiedName(name));
    if (seen.has(name)) errors.push(duplicate(at.index(path, i), name));
    seen.add(name);
  });
  return errors;
}
