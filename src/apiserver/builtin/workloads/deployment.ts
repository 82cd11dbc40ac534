import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid, required } from '../../../api/field-error.ts';
import type { Deployment, DeploymentStrategy, ReplicaSet, ReplicaSetSpec, DeploymentSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { validateImmutableField } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
import { notSupportedInternal } from './internal-form.ts';
import { pushNegative } from './invalid-value.ts';
import { setPodTemplateDefaults } from './pod-defaults.ts';
import { templateOptions, type PodValidationOptions } from './pod-validation-options.ts';
import { hostnameWarning, warningsForTemplate } from './pod-warnings.ts';
import { mapsEqual, semanticEqual } from './semantic-equal.ts';
import {
  intOrPercentValue,
  validateAtMost100Percent,
  validateCollisionCount,
  validateCounters,
  validateEndless,
  validateIntOrPercent,
  validateRequiredSelector,
  validateSelectorMatches,
  validateTemplate,
} from './template-rules.ts';
import { keepFields } from './workload-strategy.ts';

const asDeployment = (obj: KubeObject) => obj as unknown as Deployment;
const asReplicaSet = (obj: KubeObject) => obj as unknown as ReplicaSet;
const podNames = 'Pod names and hostnames';

function setDeploymentDefaults({ spec }: Deployment): void {
  if (!spec) return;
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= '25%';
    rolling.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  setPodTemplateDefaults(spec.template);
}

export const deploymentKind: BuiltinKind = {
  setDefaults: obj => setDeploymentDefaults(asDeployment(obj)),
  strategy: {
    hasGeneration: true,
    hasStatus: true,
    raisesGeneration: (obj, old) => !mapsEqual(obj.metadata.annotations, old.metadata.annotations),
    resetFields: { '': [['status']], status: [['spec'], ['metadata', 'labels']] },
    prepareForCreate(obj) {
      obj['status'] = {};
      dropDisabledTemplateFields(asDeployment(obj).spec?.template, undefined);
    },
    prepareForUpdate(obj, old) {
      keepFields(obj, old, ['status']);
      dropDisabledTemplateFields(asDeployment(obj).spec?.template, asDeployment(old).spec?.template);
    },
    prepareForStatusUpdate(obj, old) {
      keepFields(obj, old, ['spec']);
      if (old.metadata.labels) obj.metadata.labels = old.metadata.labels;
      else delete obj.metadata.labels;
    },
    validate: obj => validateDeploymentSpec(asDeployment(obj).spec!, templateOptions()),
    validateUpdate(obj, old) {
      const spec = asDeployment(obj).spec!;
      const oldSpec = asDeployment(old).spec!;
      const errors = validateDeploymentSpec(spec, templateOptions(oldSpec.template));
      return [...errors, ...validateImmutableField(spec.selector, oldSpec.selector, 'spec.selector')];
    },
    validateStatusUpdate(obj, old) {
      const errors: FieldError[] = [];
      const status = asDeployment(obj).status ?? {};
      const names = [
        'observedGeneration',
        'replicas',
        'updatedReplicas',
        'readyReplicas',
        'availableReplicas',
        'unavailableReplicas',
        'terminatingReplicas',
        'collisionCount',
      ];
      validateCounters(status, names, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], errors);
      validateAvailableIsReady(status, errors);
      validateCollisionCount(status.collisionCount, asDeployment(old).status?.collisionCount, errors);
      return errors;
    },
    warningsOnCreate: obj => [
      ...hostnameWarning(obj.metadata.name, podNames),
      ...warningsForTemplate(asDeployment(obj).spec?.template, 'spec.template'),
    ],
    warningsOnUpdate: (obj, old, ctx) =>
      ctx.subresource === 'status' ||
      (semanticEqual(obj['spec'], old['spec']) && mapsEqual(obj.metadata.annotations, old.metadata.annotations))
        ? []
        : warningsForTemplate(asDeployment(obj).spec?.template, 'spec.template'),
  },
};

function validateAvailableIsReady(status: { availableReplicas?: number; readyReplicas?: number }, errors: FieldError[]): void {
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0))
    errors.push(invalid('status.availableReplicas', available, 'cannot be greater than readyReplicas'));
}

function validateDeploymentSpec(spec: DeploymentSpec, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  pushNegative(errors, 'spec.replicas', spec.replicas);
  validateSelectedTemplate(spec, opts, errors);
  validateStrategy(spec.strategy ?? {}, 'spec.strategy', errors);
  pushNegative(errors, 'spec.minReadySeconds', spec.minReadySeconds);
  pushNegative(errors, 'spec.revisionHistoryLimit', spec.revisionHistoryLimit);
  const deadline = spec.progressDeadlineSeconds;
  pushNegative(errors, 'spec.progressDeadlineSeconds', deadline);
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0))
    errors.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  return errors;
}

function validateSelectedTemplate(spec: DeploymentSpec | ReplicaSetSpec, opts: PodValidationOptions, errors: FieldError[]): void {
  const template = spec.template ?? {};
  if (!validateRequiredSelector(spec.selector, 'spec.selector', 'deployment', errors))
    return void errors.push(invalid('spec.selector', spec.selector, 'invalid label selector'));
  validateSelectorMatches(spec.selector, template, 'spec.template', errors);
  errors.push(...validateTemplate(template, 'spec.template', opts));
  validateEndless(template, 'spec.template', 'ReplicaSet', errors);
}

function validateStrategy(strategy: DeploymentStrategy, path: string, errors: FieldError[]): void {
  const rolling = strategy.rollingUpdate;
  const rollingPath = at.child(path, 'rollingUpdate');
  if (strategy.type === 'Recreate') {
    if (rolling) errors.push(forbidden(rollingPath, "may not be specified when strategy `type` is 'Recreate'"));
    return;
  }
  if (strategy.type !== 'RollingUpdate')
    return void errors.push(notSupportedInternal(path, 'DeploymentStrategy', strategy, ['Recreate', 'RollingUpdate']));
  if (!rolling) return void errors.push(required(rollingPath, 'this should be defaulted and never be nil'));
  const unavailablePath = at.child(rollingPath, 'maxUnavailable');
  const { maxUnavailable = 0, maxSurge = 0 } = rolling;
  validateIntOrPercent(maxUnavailable, unavailablePath, errors);
  validateIntOrPercent(maxSurge, at.child(rollingPath, 'maxSurge'), errors);
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0)
    errors.push(invalid(unavailablePath, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  validateAtMost100Percent(maxUnavailable, unavailablePath, errors);
}

export const replicaSetKind: BuiltinKind = {
  setDefaults(obj) {
    const { spec } = asReplicaSet(obj);
    if (!spec) return;
    spec.replicas ??= 1;
    setPodTemplateDefaults(spec.template);
  },
  strategy: {
    hasGeneration: true,
    hasStatus: true,
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj) {
      obj['status'] = { replicas: 0 };
      dropDisabledTemplateFields(asReplicaSet(obj).spec?.template, undefined);
    },
    prepareForUpdate(obj, old) {
      keepFields(obj, old, ['status']);
      dropDisabledTemplateFields(asReplicaSet(obj).spec?.template, asReplicaSet(old).spec?.template);
    },
    prepareForStatusUpdate: (obj, old) => keepFields(obj, old, ['spec']),
    validate: obj => validateReplicaSetSpec(asReplicaSet(obj).spec!, templateOptions()),
    validateUpdate(obj, old) {
      const spec = asReplicaSet(obj).spec!;
      const oldSpec = asReplicaSet(old).spec!;
      const errors = validateReplicaSetSpec(spec, templateOptions(oldSpec.template));
      return [...errors, ...validateImmutableField(spec.selector, oldSpec.selector, 'spec.selector')];
    },
    validateStatusUpdate: obj => validateReplicaStatus(asReplicaSet(obj).status ?? {}),
    warningsOnCreate: obj => [
      ...hostnameWarning(obj.metadata.name, podNames),
      ...warningsForTemplate(asReplicaSet(obj).spec?.template, 'spec.template'),
    ],
    warningsOnUpdate: (obj, old, ctx) =>
      ctx.subresource === 'status' || semanticEqual(obj['spec'], old['spec'])
        ? []
        : warningsForTemplate(asReplicaSet(obj).spec?.template, 'spec.template'),
  },
};

function validateReplicaSetSpec(spec: ReplicaSetSpec, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  pushNegative(errors, 'spec.replicas', spec.replicas);
  pushNegative(errors, 'spec.minReadySeconds', spec.minReadySeconds);
  validateSelectedTemplate(spec, opts, errors);
  return errors;
}

/** Status of a ReplicaSet or a ReplicationController. */
export function validateReplicaStatus(status: { availableReplicas?: number; readyReplicas?: number }): FieldError[] {
  const errors: FieldError[] = [];
  const names = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration', 'terminatingReplicas'];
  validateCounters(status, names, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], errors);
  validateAvailableIsReady(status, errors);
  return errors;
}
