import type { FieldError } from '../../../api/field-error.ts';
import { at, invalid, required } from '../../../api/field-error.ts';
import type { DaemonSet, DaemonSetSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { hasInvalidLabelValue, selectorMatches, validateLabelSelector } from '../../validation/label-selector.ts';
import { validateImmutableField } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
import { notSupportedInternal } from './internal-form.ts';
import { pushNegative } from './invalid-value.ts';
import { setPodTemplateDefaults } from './pod-defaults.ts';
import { templateOptions, type PodValidationOptions } from './pod-validation-options.ts';
import { warningsForTemplate } from './pod-warnings.ts';
import { semanticEqual } from './semantic-equal.ts';
import {
  intOrPercentValue,
  isEmptySelector,
  mismatch,
  validateAtMost100Percent,
  validateCollisionCount,
  validateCounters,
  validateEndless,
  validateIntOrPercent,
  validateTemplate,
} from './template-rules.ts';
import { keepFields } from './workload-strategy.ts';

const asDaemonSet = (obj: KubeObject) => obj as unknown as DaemonSet;
const templateGeneration = 'deprecated.daemonset.template.generation';

function setDaemonSetDefaults({ spec }: DaemonSet): void {
  if (!spec) return;
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  setPodTemplateDefaults(spec.template);
}

export const daemonSetKind: BuiltinKind = {
  setDefaults(obj) {
    setDaemonSetDefaults(asDaemonSet(obj));
    setTemplateGeneration(obj, templateGenerationOf(obj));
  },
  strategy: {
    hasGeneration: true,
    hasStatus: true,
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj) {
      obj['status'] = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
      setTemplateGeneration(obj, Math.max(1, templateGenerationOf(obj)));
      dropDisabledTemplateFields(asDaemonSet(obj).spec?.template, undefined);
    },
    prepareForUpdate(obj, old) {
      keepFields(obj, old, ['status']);
      dropDisabledTemplateFields(asDaemonSet(obj).spec?.template, asDaemonSet(old).spec?.template);
      const isChanged = !semanticEqual(asDaemonSet(obj).spec?.template, asDaemonSet(old).spec?.template);
      setTemplateGeneration(obj, templateGenerationOf(old) + (isChanged ? 1 : 0));
    },
    prepareForStatusUpdate(obj, old) {
      keepFields(obj, old, ['spec']);
      setTemplateGeneration(obj, templateGenerationOf(old));
    },
    validate: obj => validateSpec(asDaemonSet(obj).spec!, templateOptions()),
    validateUpdate(obj, old) {
      const spec = asDaemonSet(obj).spec!;
      const oldSpec = asDaemonSet(old).spec!;
      const opts = templateOptions(oldSpec.template);
      const allowInvalidSelectorValues = opts.allowInvalidSelectorValues || hasInvalidLabelValue(oldSpec.selector);
      return [
        ...validateImmutableField(spec.selector, oldSpec.selector, 'spec.selector'),
        ...validateSpec(spec, { ...opts, allowInvalidSelectorValues }),
      ];
    },
    validateStatusUpdate(obj, old) {
      const errors: FieldError[] = [];
      const names = [
        'currentNumberScheduled',
        'numberMisscheduled',
        'desiredNumberScheduled',
        'numberReady',
        'observedGeneration',
        'updatedNumberScheduled',
        'numberAvailable',
        'numberUnavailable',
        'collisionCount',
      ];
      validateCounters(asDaemonSet(obj).status ?? {}, names, [], errors);
      validateCollisionCount(asDaemonSet(obj).status?.collisionCount, asDaemonSet(old).status?.collisionCount, errors);
      return errors;
    },
    warningsOnCreate: obj => warningsForTemplate(asDaemonSet(obj).spec?.template, 'spec.template'),
    warningsOnUpdate: (obj, old, ctx) =>
      ctx.subresource === 'status' || semanticEqual(asDaemonSet(obj).spec?.template, asDaemonSet(old).spec?.template)
        ? []
        : warningsForTemplate(asDaemonSet(obj).spec?.template, 'spec.template'),
  },
};

const templateGenerationOf = (obj: KubeObject) => Number.parseInt(obj.metadata.annotations?.[templateGeneration] ?? '0', 10) || 0;

// What was a field of the spec in older versions is kept as an annotation, which only the server changes.
function setTemplateGeneration(obj: KubeObject, generation: number): void {
  obj.metadata.annotations = { ...obj.metadata.annotations, [templateGeneration]: String(generation) };
}

function validateSpec(spec: DaemonSetSpec, opts: PodValidationOptions): FieldError[] {
  const { selector, template = {} } = spec;
  const errors = validateLabelSelector(selector ?? undefined, 'spec.selector', { allowInvalidValues: opts.allowInvalidSelectorValues });
  const labels = template.metadata?.labels;
  if (errors.length === 0 && !selectorMatches(selector ?? undefined, labels ?? {}))
    errors.push(invalid('spec.template.metadata.labels', labels, mismatch));
  if (selector && isEmptySelector(selector)) errors.push(invalid('spec.selector', selector, 'empty selector is invalid for daemonset'));
  errors.push(...validateTemplate(template, 'spec.template', opts));
  validateEndless(template, 'spec.template', 'DaemonSet', errors);
  pushNegative(errors, 'spec.minReadySeconds', spec.minReadySeconds);
  validateStrategy(spec, errors);
  pushNegative(errors, 'spec.revisionHistoryLimit', spec.revisionHistoryLimit);
  return errors;
}

function validateStrategy({ updateStrategy = {} }: DaemonSetSpec, errors: FieldError[]): void {
  const path = 'spec.updateStrategy';
  const rollingPath = at.child(path, 'rollingUpdate');
  if (updateStrategy.type === 'OnDelete') return;
  if (updateStrategy.type !== 'RollingUpdate')
    return void errors.push(notSupportedInternal(path, 'DaemonSetUpdateStrategy', updateStrategy, ['RollingUpdate', 'OnDelete']));
  if (!updateStrategy.rollingUpdate) return void errors.push(required(rollingPath));
  const { maxUnavailable = 0, maxSurge = 0 } = updateStrategy.rollingUpdate;
  const unavailablePath = at.child(rollingPath, 'maxUnavailable');
  const surgePath = at.child(rollingPath, 'maxSurge');
  validateIntOrPercent(maxUnavailable, unavailablePath, errors);
  validateIntOrPercent(maxSurge, surgePath, errors);
  validateAtMost100Percent(maxUnavailable, unavailablePath, errors);
  validateAtMost100Percent(maxSurge, surgePath, errors);
  const hasUnavailable = intOrPercentValue(maxUnavailable) !== 0;
  const hasSurge = intOrPercentValue(maxSurge) !== 0;
  if (hasUnavailable && hasSurge) errors.push(invalid(surgePath, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  if (!hasUnavailable && !hasSurge) errors.push(required(unavailablePath, 'cannot be 0 when maxSurge is 0'));
}
