import { invalid, notSupported, type FieldError } from '../../../api/field-error.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { validateConditions } from '../../validation/conditions.ts';
import { validateLabelSelector } from '../../validation/label-selector.ts';
import { validateNonNegative } from '../../validation/object-meta.ts';
import { isNotMoreThan100Percent, validateNonNegativeIntOrPercent } from '../../validation/ports.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { oneOf, specAndStatus } from '../kind-parts.ts';

const asBudget = (obj: KubeObject) => obj as unknown as PodDisruptionBudget;
const specOf = (obj: KubeObject): PodDisruptionBudgetSpec => asBudget(obj).spec ?? {};
const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

// Go prints the internal struct with its own field names.
const printedSpec = (spec: PodDisruptionBudgetSpec) => ({
  MinAvailable: spec.minAvailable ?? null,
  Selector: spec.selector ?? null,
  MaxUnavailable: spec.maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
});

function validateSpec(spec: PodDisruptionBudgetSpec, allowInvalidValues: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined)
    errors.push(invalid('spec', printedSpec(spec), 'minAvailable and maxUnavailable cannot be both set'));
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    const value = spec[field];
    if (value === undefined) continue;
    errors.push(...validateNonNegativeIntOrPercent(value, `spec.${field}`), ...isNotMoreThan100Percent(value, `spec.${field}`));
  }
  errors.push(...validateLabelSelector(spec.selector, 'spec.selector', { allowInvalidValues }));
  const policy = spec.unhealthyPodEvictionPolicy;
  if (policy !== undefined && !oneOf(policy, evictionPolicies))
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, evictionPolicies));
  return errors;
}

export const podDisruptionBudgetKind: BuiltinKind = {
  strategy: {
    ...specAndStatus(() => ({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 })),
    nameRule: 'path',
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    validate: obj => validateSpec(specOf(obj), false),
    validateUpdate: (obj, old) => validateSpec(specOf(obj), validateLabelSelector(specOf(old).selector, '').length > 0),
    validateStatusUpdate(obj) {
      const status = asBudget(obj).status;
      return [
        ...validateConditions(status?.conditions, 'status.conditions'),
        ...(['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const).flatMap(field =>
          validateNonNegative(status?.[field], `status.${field}`),
        ),
      ];
    },
  },
};
