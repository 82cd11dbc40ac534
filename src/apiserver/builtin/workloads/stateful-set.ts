import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid, notSupported, required } from '../../../api/field-error.ts';
import type { PodTemplateSpec, StatefulSet, StatefulSetSpec, Volume } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isDns1123Label } from '../../../api/names.ts';
import { validateAnnotations, validateLabels } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
import { invalidInternal } from './internal-form.ts';
import { pushInvalid, pushNegative } from './invalid-value.ts';
import { setClaimSpecDefaults, setPodTemplateDefaults } from './pod-defaults.ts';
import { templateOptions, type PodValidationOptions } from './pod-validation-options.ts';
import { warningsForTemplate } from './pod-warnings.ts';
import { semanticEqual } from './semantic-equal.ts';
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
import { validateClaimSpec, warningsForClaimSpec } from './validate-claim-spec.ts';
import { validatePodAnnotations } from './validate-pod-annotations.ts';
import { keepFields } from './workload-strategy.ts';

const asStatefulSet = (obj: KubeObject) => obj as unknown as StatefulSet;

function setStatefulSetDefaults({ spec }: StatefulSet): void {
  if (!spec) return;
  spec.podManagementPolicy ||= 'OrderedReady';
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= 'Retain';
  retention.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  setPodTemplateDefaults(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    setClaimSpecDefaults((claim.spec ??= {}));
    claim.status ??= {};
    claim.status.phase ||= 'Pending';
  }
}

export const statefulSetKind: BuiltinKind = {
  setDefaults: obj => setStatefulSetDefaults(asStatefulSet(obj)),
  strategy: {
    hasGeneration: true,
    hasStatus: true,
    nameRule: 'label',
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj) {
      obj['status'] = { replicas: 0, availableReplicas: 0 };
      dropMaxUnavailable(asStatefulSet(obj), undefined);
      dropDisabledTemplateFields(asStatefulSet(obj).spec?.template, undefined);
    },
    prepareForUpdate(obj, old) {
      keepFields(obj, old, ['status']);
      dropMaxUnavailable(asStatefulSet(obj), asStatefulSet(old));
      dropDisabledTemplateFields(asStatefulSet(obj).spec?.template, asStatefulSet(old).spec?.template);
    },
    prepareForStatusUpdate: (obj, old) => keepFields(obj, old, ['spec']),
    validate: obj => validateSpec(asStatefulSet(obj).spec!, templateOptions(), {}),
    validateUpdate: (obj, old) => validateUpdate(asStatefulSet(obj).spec!, asStatefulSet(old).spec!),
    validateStatusUpdate(obj, old) {
      const errors: FieldError[] = [];
      const status = asStatefulSet(obj).status ?? { replicas: 0 };
      const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];
      validateCounters(status, ['replicas', ...parts, 'observedGeneration', 'collisionCount'], parts, errors);
      if ((status.availableReplicas ?? 0) > (status.readyReplicas ?? 0))
        errors.push(invalid('status.availableReplicas', status.availableReplicas, 'cannot be greater than status.readyReplicas'));
      validateCollisionCount(status.collisionCount, asStatefulSet(old).status?.collisionCount, errors);
      return errors;
    },
    warningsOnCreate: obj => warnings(asStatefulSet(obj), true, ''),
    warningsOnUpdate: (obj, old, ctx) =>
      ctx.subresource === 'status' ? [] : warnings(asStatefulSet(obj), !semanticEqual(obj['spec'], old['spec']), 'Spec'),
  },
};

function dropMaxUnavailable({ spec }: StatefulSet, old: StatefulSet | undefined): void {
  if (old?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) delete spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
}

function warnings({ spec }: StatefulSet, includesTemplate: boolean, claimPath: string): string[] {
  const found = includesTemplate ? warningsForTemplate(spec?.template, 'spec.template') : [];
  (spec?.volumeClaimTemplates ?? []).forEach((claim, i) => {
    const path = `spec.volumeClaimTemplates[${i}]`;
    found.push(...warningsForClaimSpec(claim.spec ?? {}, claimPath === '' ? path : at.child(path, claimPath)));
  });
  if ((spec?.revisionHistoryLimit ?? 0) < 0)
    found.push('spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended');
  return found;
}

const mutable = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
] as const;

function validateUpdate(spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] {
  const opts = templateOptions(old.template);
  const tolerant: SpecOptions = { allowsInvalidServiceName: true, skipsClaims: true };
  const isOldValid = validateSpec(old, opts, tolerant).length === 0;
  const errors = validateSpec(spec, opts, { ...tolerant, skipsTemplate: !isOldValid });
  const rest: Partial<StatefulSetSpec> = { ...spec };
  const before: Partial<StatefulSetSpec> = { ...old };
  for (const name of mutable) {
    delete rest[name];
    delete before[name];
  }
  if (!semanticEqual(rest, before))
    errors.push(
      forbidden(
        'spec',
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    );
  return errors;
}

interface SpecOptions {
  readonly allowsInvalidServiceName?: boolean;
  readonly skipsClaims?: boolean;
  readonly skipsTemplate?: boolean;
}

function validateSpec(spec: StatefulSetSpec, opts: PodValidationOptions, setOpts: SpecOptions): FieldError[] {
  const errors: FieldError[] = [];
  const policy = spec.podManagementPolicy ?? '';
  if (policy === '') errors.push(required('spec.podManagementPolicy'));
  else if (policy !== 'OrderedReady' && policy !== 'Parallel')
    errors.push(invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  validateUpdateStrategy(spec, errors);
  for (const name of ['whenDeleted', 'whenScaled'] as const) {
    const retention = spec.persistentVolumeClaimRetentionPolicy?.[name] ?? '';
    if (spec.persistentVolumeClaimRetentionPolicy && retention !== 'Retain' && retention !== 'Delete')
      errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${name}`, retention, ['Retain', 'Delete']));
  }
  if (!setOpts.skipsClaims)
    (spec.volumeClaimTemplates ?? []).forEach((claim, i) =>
      errors.push(...validateClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${i}].spec`)),
    );
  pushNegative(errors, 'spec.replicas', spec.replicas);
  pushNegative(errors, 'spec.minReadySeconds', spec.minReadySeconds);
  pushNegative(errors, 'spec.ordinals.start', spec.ordinals?.start);
  if (!setOpts.allowsInvalidServiceName && spec.serviceName)
    pushInvalid(errors, 'spec.serviceName', spec.serviceName, isDns1123Label(spec.serviceName));
  if (!validateRequiredSelector(spec.selector, 'spec.selector', 'statefulset', errors))
    errors.push(invalid('spec.selector', spec.selector, ''));
  else validateSetTemplate(spec, opts, setOpts, errors);
  validateEndless(spec.template ?? {}, 'spec.template', 'StatefulSet', errors);
  return errors;
}

function validateUpdateStrategy({ updateStrategy = {} }: StatefulSetSpec, errors: FieldError[]): void {
  const path = 'spec.updateStrategy';
  const rolling = updateStrategy.rollingUpdate;
  const rollingPath = at.child(path, 'rollingUpdate');
  if (!updateStrategy.type) errors.push(required(path));
  else if (updateStrategy.type === 'OnDelete') {
    if (rolling)
      errors.push(
        invalidInternal(rollingPath, 'RollingUpdateStatefulSetStrategy', rolling, "only allowed for updateStrategy 'RollingUpdate'"),
      );
  } else if (updateStrategy.type !== 'RollingUpdate')
    errors.push(invalidInternal(path, 'StatefulSetUpdateStrategy', updateStrategy, "must be 'RollingUpdate' or 'OnDelete'"));
  else if (rolling) {
    pushNegative(errors, at.child(rollingPath, 'partition'), rolling.partition);
    const { maxUnavailable } = rolling;
    if (maxUnavailable === undefined) return;
    const own = at.child(rollingPath, 'maxUnavailable');
    validateIntOrPercent(maxUnavailable, own, errors);
    if (intOrPercentValue(maxUnavailable) === 0) errors.push(invalid(own, maxUnavailable, 'cannot be 0'));
    validateAtMost100Percent(maxUnavailable, own, errors);
  }
}

// The controller sets hostname and subdomain itself, and mounts a claim for every template.
function validateSetTemplate(spec: StatefulSetSpec, opts: PodValidationOptions, setOpts: SpecOptions, errors: FieldError[]): void {
  const template = templateWithClaims(spec);
  const path = 'spec.template';
  validateSelectorMatches(spec.selector, template, path, errors);
  if (!setOpts.skipsTemplate) errors.push(...validateTemplate(template, path, opts));
  const annotations = template.metadata?.annotations;
  errors.push(
    ...validateLabels(template.metadata?.labels, at.child(path, 'labels')),
    ...validateAnnotations(annotations, at.child(path, 'annotations')),
    ...validatePodAnnotations(annotations, template.spec ?? { containers: [] }, at.child(path, 'annotations'), opts),
  );
}

function templateWithClaims(spec: StatefulSetSpec): PodTemplateSpec {
  const template = spec.template ?? {};
  if (!template.spec) return template;
  const claims = (spec.volumeClaimTemplates ?? []).map((claim): Volume => {
    const name = claim.metadata?.name ?? '';
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  const taken = new Set(claims.map(claim => claim.name));
  const volumes = [
    ...new Map(claims.map(claim => [claim.name, claim])).values(),
    ...(template.spec.volumes ?? []).filter(v => !taken.has(v.name)),
  ];
  const { hostname: _hostname, subdomain: _subdomain, ...rest } = template.spec;
  return { ...template, spec: { ...rest, volumes } };
}
