import type { FieldError } from '../../../api/field-error.ts';
import { invalid, required } from '../../../api/field-error.ts';
import type { ReplicationController, ReplicationControllerSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { validateReplicaStatus } from './deployment.ts';
import { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
import { pushNegative } from './invalid-value.ts';
import { setPodTemplateDefaults } from './pod-defaults.ts';
import { templateOptions, type PodValidationOptions } from './pod-validation-options.ts';
import { hostnameWarning, warningsForTemplate } from './pod-warnings.ts';
import { semanticEqual } from './semantic-equal.ts';
import { mismatch, validateEndless, validateTemplate } from './template-rules.ts';
import { keepFields } from './workload-strategy.ts';

const asController = (obj: KubeObject) => obj as unknown as ReplicationController;
const isEmpty = (map: object | undefined | null) => Object.keys(map ?? {}).length === 0;

export const replicationControllerKind: BuiltinKind = {
  setDefaults(obj) {
    const { spec } = asController(obj);
    if (!spec) return;
    const labels = spec.template?.metadata?.labels;
    if (labels) {
      if (isEmpty(spec.selector)) spec.selector = { ...labels };
      if (isEmpty(obj.metadata.labels)) obj.metadata.labels = { ...labels };
    }
    spec.replicas ??= 1;
    setPodTemplateDefaults(spec.template);
  },
  selectableFields: { 'status.replicas': obj => String(asController(obj).status?.replicas ?? 0) },
  strategy: {
    hasGeneration: true,
    hasStatus: true,
    defaultDeletePolicy: 'Orphan',
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj) {
      obj['status'] = { replicas: 0 };
      dropDisabledTemplateFields(asController(obj).spec?.template, undefined);
    },
    prepareForUpdate(obj, old) {
      keepFields(obj, old, ['status']);
      dropDisabledTemplateFields(asController(obj).spec?.template, asController(old).spec?.template);
    },
    prepareForStatusUpdate: (obj, old) => keepFields(obj, old, ['spec']),
    validate: obj => validateSpec(asController(obj).spec ?? {}, templateOptions()),
    validateUpdate: (obj, old) => validateSpec(asController(obj).spec ?? {}, templateOptions(asController(old).spec?.template)),
    validateStatusUpdate: obj => validateReplicaStatus(asController(obj).status ?? {}),
    warningsOnCreate: obj => [
      ...hostnameWarning(obj.metadata.name, 'Pod names and hostnames'),
      ...warningsForTemplate(asController(obj).spec?.template, 'spec.template'),
    ],
    // The real server looks at the stored template here, not at the new one.
    warningsOnUpdate: (obj, old, ctx) =>
      ctx.subresource === 'status' || semanticEqual(obj['spec'], old['spec'])
        ? []
        : warningsForTemplate(asController(old).spec?.template, 'spec.template'),
  },
};

function validateSpec(spec: ReplicationControllerSpec, opts: PodValidationOptions): FieldError[] {
  const errors: FieldError[] = [];
  pushNegative(errors, 'spec.minReadySeconds', spec.minReadySeconds);
  if (isEmpty(spec.selector)) errors.push(required('spec.selector'));
  if (spec.replicas === undefined) errors.push(required('spec.replicas'));
  pushNegative(errors, 'spec.replicas', spec.replicas);
  if (!spec.template) return [...errors, required('spec.template')];
  const labels = spec.template.metadata?.labels;
  if (Object.entries(spec.selector ?? {}).some(([key, value]) => labels?.[key] !== value))
    errors.push(invalid('spec.template.metadata.labels', labels, mismatch));
  errors.push(...validateTemplate(spec.template, 'spec.template', opts));
  validateEndless(spec.template, 'spec.template', 'ReplicationController', errors);
  return errors;
}
