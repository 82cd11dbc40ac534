import type { FieldError } from '../../../api/field-error.ts';
import { at, invalid, required } from '../../../api/field-error.ts';
import type { Affinity, Container, Job, JobSpec, PodSpec, PodTemplateSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { hasInvalidLabelValue, selectorMatches, validateLabelSelector } from '../../validation/label-selector.ts';
import { isDns1123Label } from '../../../api/names.ts';
import { validateImmutableField } from '../../validation/object-meta.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
import { invalidInternal } from './internal-form.ts';
import { immutable } from './invalid-value.ts';
import { setPodTemplateDefaults } from './pod-defaults.ts';
import { templateOptions, type PodValidationOptions } from './pod-validation-options.ts';
import { hostnameWarning, warningsForTemplate } from './pod-warnings.ts';
import { semanticEqual } from './semantic-equal.ts';
import { mismatch } from './template-rules.ts';
import { validateJobSpec } from './validate-job-spec.ts';
import { validateJobStatusUpdate } from './validate-job-status.ts';
import { withField } from './validate-pod-update.ts';
import { keepFields } from './workload-strategy.ts';

const asJob = (obj: KubeObject) => obj as unknown as Job;
const uidLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
const nameLabels = ['job-name', 'batch.kubernetes.io/job-name'];
const uidLabel = 'batch.kubernetes.io/controller-uid';

function setJobSpecDefaults(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  spec.manualSelector ??= false;
  setFailurePolicyDefaults(spec);
}

/** Defaults that hold for the job inside a CronJob too. */
export function setFailurePolicyDefaults(spec: JobSpec): void {
  for (const rule of spec.podFailurePolicy?.rules ?? []) for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True';
  setPodTemplateDefaults(spec.template);
}

export const jobKind: BuiltinKind = {
  setDefaults(obj) {
    const { spec } = asJob(obj);
    if (!spec) return;
    const labels = spec.template?.metadata?.labels;
    if (labels && Object.keys(obj.metadata.labels ?? {}).length === 0) obj.metadata.labels = labels;
    setJobSpecDefaults(spec);
  },
  selectableFields: { 'status.successful': obj => String(asJob(obj).status?.succeeded ?? 0) },
  strategy: {
    hasGeneration: true,
    hasStatus: true,
    defaultDeletePolicy: 'Orphan',
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj) {
      const spec = asJob(obj).spec!;
      if (!spec.manualSelector) generateSelector(obj, spec);
      obj['status'] = {};
      dropDisabledTemplateFields(spec.template, undefined);
    },
    prepareForUpdate(obj, old) {
      keepFields(obj, old, ['status']);
      dropDisabledTemplateFields(asJob(obj).spec?.template, asJob(old).spec?.template);
    },
    prepareForStatusUpdate: (obj, old) => keepFields(obj, old, ['spec']),
    validate: obj => validateJob(obj, templateOptions(), true),
    validateUpdate(obj, old) {
      const oldSpec = asJob(old).spec!;
      const opts = templateOptions(oldSpec.template);
      const labels = oldSpec.template?.metadata?.labels;
      const hasPrefixed = labels?.[nameLabels[1]!] !== undefined && labels[uidLabel] !== undefined;
      const jobOpts = { ...opts, allowInvalidSelectorValues: opts.allowInvalidSelectorValues || hasInvalidLabelValue(oldSpec.selector) };
      return [...validateJob(obj, jobOpts, hasPrefixed), ...validateSpecUpdate(asJob(obj).spec!, asJob(old), jobOpts)];
    },
    validateStatusUpdate: (obj, old) => validateJobStatusUpdate(asJob(obj), asJob(old)),
    warningsOnCreate: obj => [
      ...hostnameWarning(obj.metadata.name, 'Pod names and hostnames'),
      ...warningsForJobSpec(asJob(obj).spec, 'spec'),
    ],
    warningsOnUpdate: (obj, old, ctx) =>
      ctx.subresource === 'status' || semanticEqual(obj['spec'], old['spec']) ? [] : warningsForJobSpec(asJob(obj).spec, 'spec'),
  },
};

export function warningsForJobSpec(spec: JobSpec | undefined, path: string): string[] {
  if (!spec) return [];
  const isHuge = spec.completionMode === 'Indexed' && (spec.completions ?? 0) > 100_000 && (spec.parallelism ?? 0) > 10_000;
  const huge =
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
  return [...(isHuge ? [`${path}: ${huge}`] : []), ...warningsForTemplate(spec.template, at.child(path, 'template'))];
}

// A job finds its pods by its own uid unless the user chose a selector.
function generateSelector(obj: KubeObject, spec: JobSpec): void {
  const { name = '', uid = '' } = obj.metadata;
  const template: PodTemplateSpec = (spec.template ??= {});
  const meta = (template.metadata ??= {});
  // In place: labels that were defaulted from the template are the template's own, as in the real server.
  const labels = (meta.labels ??= {});
  for (const label of nameLabels) labels[label] ??= name;
  for (const label of uidLabels) labels[label] ??= uid;
  sortInPlace(labels);
  const selector = (spec.selector ??= {});
  selector.matchLabels = sorted({ [uidLabel]: uid, ...selector.matchLabels });
  // The real server defaults once more when it reads the job back.
  if (Object.keys(obj.metadata.labels ?? {}).length === 0) obj.metadata.labels = { ...meta.labels };
}

function sortInPlace(map: Record<string, string>): void {
  const entries = Object.entries(sorted(map));
  for (const [key] of entries) delete map[key];
  for (const [key, value] of entries) map[key] = value;
}

const sorted = (map: Record<string, string>) => Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));

function validateJob(obj: KubeObject, opts: PodValidationOptions, requirePrefixed: boolean): FieldError[] {
  const spec = asJob(obj).spec!;
  const errors = validateGeneratedSelector(obj, spec, requirePrefixed);
  errors.push(...validateSelectedSpec(spec, opts));
  if (spec.completionMode === 'Indexed' && spec.completions !== undefined && spec.completions > 0) {
    const name = obj.metadata.name ?? '';
    const hostname = `${name}-${spec.completions - 1}`;
    if (isDns1123Label(hostname).length > 0)
      errors.push(invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${hostname}`));
  }
  return errors;
}

function validateGeneratedSelector(obj: KubeObject, spec: JobSpec, requirePrefixed: boolean): FieldError[] {
  if (spec.manualSelector || !spec.selector) return [];
  const errors: FieldError[] = [];
  const { name = '', uid = '' } = obj.metadata;
  if (uid === '') errors.push(required('metadata.uid'));
  const labels = spec.template?.metadata?.labels;
  const expected: Record<string, string> = {};
  const expect = (label: string, value: string) => {
    expected[label] = value;
    const path = at.key('spec.template.metadata.labels', label);
    if (labels?.[label] === undefined) errors.push(required(path, `must be '${value}'`));
    else if (labels[label] !== value) errors.push(invalid(path, labels, `must be '${value}'`));
  };
  expect(uidLabels[0]!, uid);
  expect(nameLabels[0]!, name);
  if (requirePrefixed) {
    expect(uidLabels[1]!, uid);
    expect(nameLabels[1]!, name);
  }
  if (validateLabelSelector(spec.selector, '').length === 0 && !selectorMatches(spec.selector, expected))
    errors.push(invalid('spec.selector', spec.selector, '`selector` not auto-generated'));
  return errors;
}

function validateSelectedSpec(spec: JobSpec, opts: PodValidationOptions): FieldError[] {
  const errors = validateJobSpec(spec, 'spec', opts);
  const selectorErrors = validateLabelSelector(spec.selector ?? undefined, 'spec.selector', {
    allowInvalidValues: opts.allowInvalidSelectorValues,
  });
  if (!spec.selector) errors.push(required('spec.selector'));
  errors.push(...selectorErrors);
  const labels = spec.template?.metadata?.labels;
  if (selectorErrors.length === 0 && !selectorMatches(spec.selector ?? undefined, labels ?? {}))
    errors.push(invalid('spec.template.metadata.labels', labels, mismatch));
  return errors;
}

function validateSpecUpdate(spec: JobSpec, old: Job, opts: PodValidationOptions): FieldError[] {
  const oldSpec = old.spec!;
  const errors = validateSelectedSpec(spec, opts);
  errors.push(...validateCompletions(spec, oldSpec));
  errors.push(...validateImmutableField(spec.selector, oldSpec.selector, 'spec.selector'));
  errors.push(...validateTemplateUpdate(spec, old));
  errors.push(...validateImmutableField(spec.completionMode, oldSpec.completionMode, 'spec.completionMode'));
  if (!semanticEqual(spec.podFailurePolicy, oldSpec.podFailurePolicy))
    errors.push(invalidInternal('spec.podFailurePolicy', 'PodFailurePolicy', spec.podFailurePolicy, immutable));
  errors.push(...validateImmutableField(spec.backoffLimitPerIndex, oldSpec.backoffLimitPerIndex, 'spec.backoffLimitPerIndex'));
  errors.push(...validateImmutableField(spec.managedBy, oldSpec.managedBy, 'spec.managedBy'));
  if (!semanticEqual(spec.successPolicy, oldSpec.successPolicy))
    errors.push(invalidInternal('spec.successPolicy', 'SuccessPolicy', spec.successPolicy, immutable));
  return errors;
}

function validateCompletions(spec: JobSpec, old: JobSpec): FieldError[] {
  const path = 'spec.completions';
  if (spec.completionMode !== 'Indexed') return validateImmutableField(spec.completions, old.completions, path);
  if (spec.completions === old.completions || spec.completions === undefined || spec.completions === spec.parallelism) return [];
  return [invalid(path, spec.completions, 'can only be modified in tandem with spec.parallelism')];
}

const isTrue = (job: Job, type: string) => (job.status?.conditions ?? []).some(c => c.type === type && c.status === 'True');

// While a job is suspended and none of its pods run, queues may still decide where its pods go and how large they are.
function validateTemplateUpdate(spec: JobSpec, old: Job): FieldError[] {
  const oldSpec = old.spec!;
  const template = spec.template ?? {};
  const isSuspended = oldSpec.suspend === true;
  const isMutable = isSuspended && (old.status?.startTime === undefined || isTrue(old, 'Suspended')) && (old.status?.active ?? 0) === 0;
  const oldTemplate = isMutable ? withSchedulingOf(oldSpec.template ?? {}, template) : (oldSpec.template ?? {});
  if (!isMutable)
    return semanticEqual(template, oldTemplate) ? [] : [invalidInternal('spec.template', 'PodTemplateSpec', template, immutable)];
  const before = withResourcesOf(oldTemplate.spec ?? { containers: [] }, template.spec ?? { containers: [] });
  return semanticEqual(template.spec, before) ? [] : [invalidInternal('spec.template.spec', 'PodSpec', template.spec ?? {}, immutable)];
}

function withSchedulingOf(old: PodTemplateSpec, next: PodTemplateSpec): PodTemplateSpec {
  let spec: PodSpec = old.spec ?? { containers: [] };
  const affinity: Affinity = withField(spec.affinity ?? {}, 'nodeAffinity', next.spec?.affinity?.nodeAffinity);
  const isKept = Object.keys(affinity).length > 0 || next.spec?.affinity !== undefined;
  spec = withField(spec, 'affinity', isKept ? affinity : undefined);
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates'] as const) spec = withField(spec, name, next.spec?.[name]);
  return { ...old, spec };
}

function withResourcesOf(old: PodSpec, next: PodSpec): PodSpec {
  const resized = (before: Container[] | undefined, now: Container[] | undefined) =>
    before?.length !== now?.length
      ? before
      : before?.map((container, i) =>
          container.name === now![i]!.name ? withField(container, 'resources', now![i]!.resources) : container,
        );
  const spec = { ...old, containers: resized(old.containers, next.containers) ?? [] };
  return withField(spec, 'initContainers', resized(old.initContainers, next.initContainers));
}
