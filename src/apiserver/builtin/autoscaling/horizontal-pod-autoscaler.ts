import { at, forbidden, invalid, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/object.ts';
import { isDns1123Label, isPathSegmentName } from '../../../api/names.ts';
import { validateNonNegative } from '../../validation/object-meta.ts';
import { nanoUnits } from '../../validation/quantities.ts';
import { validateContainerResourceName, validateNonNegativeQuantity } from '../../validation/resource-list.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import { carryOver, invalidFor, oneOf } from '../kind-parts.ts';
import { cpuMetric, hpaToV2 } from './hpa-conversion.ts';

interface Reference {
  apiVersion?: string;
  kind?: string;
  name?: string;
}
interface Target {
  type?: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}
interface Source {
  name?: string;
  container?: string;
  metric?: { name?: string };
  describedObject?: Reference;
  target?: Target;
}
type SourceField = 'object' | 'external' | 'pods' | 'resource' | 'containerResource';
type Metric = { type?: string } & Partial<Record<SourceField, Source>>;
interface Rules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type?: string; value?: number; periodSeconds?: number }[];
  tolerance?: string;
}
interface AutoscalerV2 {
  spec?: {
    scaleTargetRef?: Reference;
    minReplicas?: number;
    maxReplicas?: number;
    metrics?: Metric[];
    behavior?: { scaleUp?: Rules; scaleDown?: Rules };
  };
  status?: { currentReplicas?: number; desiredReplicas?: number };
}

const asV2 = (obj: KubeObject) => (obj.apiVersion === 'autoscaling/v1' ? hpaToV2(obj) : obj) as unknown as AutoscalerV2;

const sourceFields: Readonly<Record<string, SourceField>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};
const sourceTypes = Object.keys(sourceFields);

function validateReference(
  reference: Reference | undefined,
  path: string,
  allowEmptyGroup: boolean,
  allowAnyVersion: boolean,
): FieldError[] {
  const { apiVersion = '', kind = '', name = '' } = reference ?? {};
  const errors: FieldError[] = [];
  for (const [field, value] of [
    ['kind', kind],
    ['name', name],
  ] as const)
    errors.push(...(value === '' ? [required(at.child(path, field))] : invalidFor(at.child(path, field), value, isPathSegmentName(value))));
  if (allowAnyVersion) return errors;
  if (apiVersion.split('/').length > 2)
    errors.push(invalid(at.child(path, 'apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else if (!allowEmptyGroup && !/^[^/]+\//.test(apiVersion))
    errors.push(invalid(at.child(path, 'apiVersion'), apiVersion, 'apiVersion must specify API group'));
  return errors;
}

function validateSpec(hpa: AutoscalerV2, old: AutoscalerV2 | undefined): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = hpa.spec ?? {};
  const errors: FieldError[] = [];
  const least = old?.spec?.minReplicas === 0 ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < least)
    errors.push(invalid('spec.minReplicas', minReplicas, `must be greater than or equal to ${least}`));
  if (maxReplicas === 0) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  else if (maxReplicas < 0) errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));

  const oldRef = old?.spec?.scaleTargetRef;
  const isSameTarget =
    oldRef !== undefined && (oldRef.apiVersion ?? '') === (scaleTargetRef?.apiVersion ?? '') && oldRef.kind === scaleTargetRef?.kind;
  errors.push(...validateReference(scaleTargetRef, 'spec.scaleTargetRef', scaleTargetRef?.kind === 'ReplicationController', isSameTarget));
  const oldObjects = (old?.spec?.metrics ?? []).flatMap(metric => (metric.type === 'Object' && metric.object ? [metric.object] : []));
  const hadBadVersion = oldObjects.some(source => (source.describedObject?.apiVersion ?? '').split('/').length > 2);
  for (const [i, metric] of metrics.entries()) errors.push(...validateMetric(metric, at.index('spec.metrics', i), hadBadVersion));
  if (minReplicas === 0 && !metrics.some(metric => metric.type === 'Object' || metric.type === 'External'))
    errors.push(forbidden('spec.metrics', 'must specify at least one Object or External metric to support scaling to zero replicas'));
  return [
    ...errors,
    ...validateRules(behavior?.scaleUp, 'spec.behavior.scaleUp'),
    ...validateRules(behavior?.scaleDown, 'spec.behavior.scaleDown'),
  ];
}

function validateMetric(metric: Metric, path: string, allowAnyVersion: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const type = metric.type ?? '';
  const typePath = at.child(path, 'type');
  if (type === '') errors.push(required(typePath, 'must specify a metric source type'));
  const isKnown = oneOf(type, sourceTypes);
  if (!isKnown) errors.push(notSupported(typePath, type, sourceTypes));
  const given = (['object', 'external', 'pods', 'resource', 'containerResource'] as const).filter(field => metric[field]);
  const [first] = given;
  if (first) errors.push(...validateSource(metric[first] ?? {}, first, at.child(path, first), allowAnyVersion));
  const expected = sourceFields[type];
  if (expected && !metric[expected])
    errors.push(required(at.child(path, expected), 'must populate information for the given metric source'));
  if (!isKnown) errors.push(notSupported(typePath, type, sourceTypes));
  if (given.length !== 1)
    for (const field of given)
      if (field !== expected) errors.push(forbidden(at.child(path, field), 'must populate the given metric source only'));
  return errors;
}

function validateSource(source: Source, field: SourceField, path: string, allowAnyVersion: boolean): FieldError[] {
  const target = source.target ?? {};
  const targetPath = at.child(path, 'target');
  const errors: FieldError[] = [];
  if (field === 'object')
    errors.push(...validateReference(source.describedObject, at.child(path, 'describedObject'), true, allowAnyVersion));
  if (field === 'resource' || field === 'containerResource') {
    if (!source.name) errors.push(required(at.child(path, 'name'), 'must specify a resource name'));
    else if (field === 'containerResource') errors.push(...validateContainerResourceName(source.name, at.child(path, 'name')));
  } else {
    const name = source.metric?.name ?? '';
    const namePath = at.child(path, 'metric', 'name');
    errors.push(
      ...(name === '' ? [required(namePath, 'must specify a metric name')] : invalidFor(namePath, name, isPathSegmentName(name))),
    );
  }
  if (field === 'containerResource') {
    const { container = '' } = source;
    const containerPath = at.child(path, 'container');
    errors.push(
      ...(container === ''
        ? [required(containerPath, 'must specify a container')]
        : invalidFor(containerPath, container, isDns1123Label(container))),
    );
  }
  errors.push(...validateTarget(target, targetPath));
  return [...errors, ...validateTargetFits(target, field, targetPath)];
}

function validateTargetFits(target: Target, field: SourceField, path: string): FieldError[] {
  const { value, averageValue, averageUtilization } = target;
  switch (field) {
    case 'object':
      return value === undefined && averageValue === undefined
        ? [required(at.child(path, 'averageValue'), 'must set either a target value or averageValue')]
        : [];
    case 'external':
      if (value === undefined && averageValue === undefined)
        return [required(at.child(path, 'averageValue'), 'must set either a target value for metric or a per-pod target')];
      return value !== undefined && averageValue !== undefined
        ? [forbidden(at.child(path, 'value'), 'may not set both a target value for metric and a per-pod target')]
        : [];
    case 'pods':
      return averageValue === undefined ? [required(at.child(path, 'averageValue'), 'must specify a positive target averageValue')] : [];
    case 'resource':
    case 'containerResource':
      if (averageUtilization === undefined && averageValue === undefined)
        return [required(at.child(path, 'averageUtilization'), 'must set either a target raw value or a target utilization')];
      return averageUtilization !== undefined && averageValue !== undefined
        ? [forbidden(at.child(path, 'averageValue'), 'may not set both a target raw value and a target utilization')]
        : [];
  }
}

function validateTarget(target: Target, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = target.type ?? '';
  if (type === '') errors.push(required(at.child(path, 'type'), 'must specify a metric target type'));
  if (!oneOf(type, ['Utilization', 'Value', 'AverageValue']))
    errors.push(invalid(at.child(path, 'type'), type, 'must be either Utilization, Value, or AverageValue'));
  for (const field of ['value', 'averageValue'] as const) {
    const amount = target[field];
    if (amount !== undefined && nanoUnits(amount) <= 0n) errors.push(invalid(at.child(path, field), amount, 'must be positive'));
  }
  if (target.averageUtilization !== undefined && target.averageUtilization < 1)
    errors.push(invalid(at.child(path, 'averageUtilization'), target.averageUtilization, 'must be greater than 0'));
  return errors;
}

function validateRules(rules: Rules | undefined, path: string): FieldError[] {
  if (!rules) return [];
  const errors: FieldError[] = [];
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [], tolerance } = rules;
  const windowPath = at.child(path, 'stabilizationWindowSeconds');
  if (seconds !== undefined && seconds < 0) errors.push(invalid(windowPath, seconds, 'must be greater than or equal to zero'));
  if (seconds !== undefined && seconds > 3600) errors.push(invalid(windowPath, seconds, 'must be less than or equal to 3600'));
  const selections = ['Disabled', 'Max', 'Min'];
  if (selectPolicy !== undefined && !oneOf(selectPolicy, selections))
    errors.push(notSupported(at.child(path, 'selectPolicy'), selectPolicy, selections));
  if (policies.length === 0) errors.push(required(at.child(path, 'policies'), 'must specify at least one Policy'));
  for (const [i, { type = '', value = 0, periodSeconds = 0 }] of policies.entries()) {
    const here = at.index(at.child(path, 'policies'), i);
    if (!oneOf(type, ['Percent', 'Pods'])) errors.push(notSupported(at.child(here, 'type'), type, ['Percent', 'Pods']));
    if (value <= 0) errors.push(invalid(at.child(here, 'value'), value, 'must be greater than zero'));
    if (periodSeconds <= 0) errors.push(invalid(at.child(here, 'periodSeconds'), periodSeconds, 'must be greater than zero'));
    if (periodSeconds > 1800) errors.push(invalid(at.child(here, 'periodSeconds'), periodSeconds, 'must be less than or equal to 1800'));
  }
  if (tolerance !== undefined) errors.push(...validateNonNegativeQuantity(tolerance, at.child(path, 'tolerance')));
  return errors;
}

const scaleUpRules = (): Rules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
});
const scaleDownRules = (): Rules => ({ selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] });

export const horizontalPodAutoscalerKind: BuiltinKind = {
  setDefaults(obj) {
    const hpa = obj as unknown as AutoscalerV2;
    const spec = (hpa.spec ??= {});
    spec.minReplicas ??= 1;
    if (obj.apiVersion === 'autoscaling/v1') {
      // The server thinks in v2, where no metric at all means the processor at 80 per cent.
      const [metric, ...more] = asV2(obj).spec?.metrics ?? [];
      const percent = metric?.resource?.target?.averageUtilization;
      if (more.length === 0 && percent !== undefined)
        (spec as { targetCPUUtilizationPercentage?: number }).targetCPUUtilizationPercentage ??= percent;
      return;
    }
    if (!spec.metrics?.length) spec.metrics = [cpuMetric(80) as Metric];
    if (!spec.behavior) return;
    spec.behavior.scaleUp = { ...scaleUpRules(), ...spec.behavior.scaleUp };
    spec.behavior.scaleDown = { ...scaleDownRules(), ...spec.behavior.scaleDown };
  },
  strategy: {
    hasStatus: true,
    resetFields: { '': [['status']], status: [['spec']] },
    prepareForCreate(obj) {
      obj['status'] =
        obj.apiVersion === 'autoscaling/v1' ? { currentReplicas: 0, desiredReplicas: 0 } : { desiredReplicas: 0, currentMetrics: null };
    },
    prepareForUpdate: (obj, old) => carryOver(obj, old, 'status'),
    prepareForStatusUpdate: (obj, old) => carryOver(obj, old, 'spec'),
    validate: obj => validateSpec(asV2(obj), undefined),
    validateUpdate: (obj, old) => validateSpec(asV2(obj), asV2(old)),
    validateStatusUpdate(obj) {
      const { currentReplicas, desiredReplicas } = asV2(obj).status ?? {};
      return [
        ...validateNonNegative(currentReplicas, 'status.currentReplicas'),
        ...validateNonNegative(desiredReplicas, 'status.desiredReplicas'),
      ];
    },
  },
};
