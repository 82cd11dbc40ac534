import type { KubeObject } from '../../../api/object.ts';
import { printJson } from '../../../util/json.ts';
import { compareQuantities, type Quantity } from '../../validation/quantities.ts';

type Fields = Record<string, unknown>;

const prefix = 'autoscaling.alpha.kubernetes.io/';
const annotation = {
  metrics: `${prefix}metrics`,
  currentMetrics: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
  behavior: `${prefix}behavior`,
} as const;
/** Annotations that carry v2 fields through v1; no other version shows them. */
const carriers: readonly string[] = [...Object.values(annotation), `${prefix}scale-down-tolerance`, `${prefix}scale-up-tolerance`];

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
/** The given fields without those that are absent. */
const present = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export const cpuMetric = (percent: unknown): Fields => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percent } },
});
const cpuPercentOf = (metric: Fields, side: 'target' | 'current'): unknown => {
  const resource = fieldsOf(metric['resource']);
  return metric['type'] === 'Resource' && resource['name'] === 'cpu' ? fieldsOf(resource[side])['averageUtilization'] : undefined;
};

function withoutCarriers(obj: KubeObject): KubeObject['metadata'] {
  const { annotations, ...metadata } = obj.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !carriers.includes(key));
  return kept.length > 0 ? { ...metadata, annotations: Object.fromEntries(kept) } : metadata;
}

/** autoscaling/v2 to v1: one CPU percentage, the rest in annotations. */
export function hpaToV1(obj: KubeObject): KubeObject {
  const spec = fieldsOf(obj['spec']);
  const status = fieldsOf(obj['status']);
  const metrics = listOf(spec['metrics']);
  const current = listOf(status['currentMetrics']);
  const conditions = listOf(status['conditions']);
  const carried: Record<string, string> = {};
  const others = metrics.filter(metric => cpuPercentOf(metric, 'target') === undefined);
  if (others.length > 0) carried[annotation.metrics] = printJson(others.map(metric => metricToV1(metric, specSourcesToV1)));
  if (current.length > 0) carried[annotation.currentMetrics] = printJson(current.map(metric => metricToV1(metric, statusSourcesToV1)));
  if (spec['behavior'] !== undefined) carried[annotation.behavior] = printJson(behaviorToGo(fieldsOf(spec['behavior'])));
  if (conditions.length > 0) carried[annotation.conditions] = printJson(conditions);

  const metadata = withoutCarriers(obj);
  if (Object.keys(carried).length > 0) metadata.annotations = { ...metadata.annotations, ...carried };
  const { metrics: _metrics, behavior: _behavior, ...kept } = spec;
  const { currentMetrics: _current, conditions: _conditions, ...keptStatus } = status;
  const percent = metrics.map(metric => cpuPercentOf(metric, 'target')).find(value => value !== undefined);
  const currentPercent = current.map(metric => cpuPercentOf(metric, 'current')).find(value => value !== undefined);
  return {
    ...obj,
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: present({ ...kept, targetCPUUtilizationPercentage: percent }),
    status: present({ currentReplicas: 0, ...keptStatus, currentCPUUtilizationPercentage: currentPercent }),
  };
}

/** autoscaling/v1 to v2. Without any metric the CPU is to be used at 80 per cent. */
export function hpaToV2(obj: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: percent, ...kept } = fieldsOf(obj['spec']);
  const { currentCPUUtilizationPercentage: currentPercent, ...status } = fieldsOf(obj['status']);
  const annotations = obj.metadata.annotations ?? {};
  const carriedMetrics = parsed(annotations[annotation.metrics]);
  const cpu = percent === undefined ? [] : [cpuMetric(percent)];
  const metrics = [...(carriedMetrics ?? []).map(metric => metricToV2(metric, specSourcesToV2)), ...cpu];
  const behavior = behaviorFromGo(annotations[annotation.behavior]);
  const carriedCurrent = parsed(annotations[annotation.currentMetrics])?.map(metric => metricToV2(metric, statusSourcesToV2));
  const observed = currentPercent === undefined ? null : [currentCpu(currentPercent)];
  if (status['currentReplicas'] === 0) delete status['currentReplicas'];
  return {
    ...obj,
    apiVersion: 'autoscaling/v2',
    metadata: withoutCarriers(obj),
    spec: present({ ...kept, metrics: metrics.length > 0 ? metrics : [cpuMetric(80)], behavior }),
    status: present({
      ...status,
      desiredReplicas: status['desiredReplicas'] ?? 0,
      currentMetrics: carriedCurrent ?? observed,
      conditions: parsed(annotations[annotation.conditions]),
    }),
  };
}

const currentCpu = (percent: unknown): Fields => ({
  type: 'Resource',
  resource: { name: 'cpu', current: { averageUtilization: percent } },
});

function parsed(text: string | undefined): Fields[] | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as Fields[]) : undefined;
  } catch {
    return undefined;
  }
}

type Sources = Readonly<Record<string, (source: Fields) => Fields>>;

const convertMetric = (metric: Fields, sources: Sources): Fields =>
  Object.fromEntries(Object.entries(metric).map(([field, value]) => [field, sources[field] ? sources[field](fieldsOf(value)) : value]));
const metricToV1 = convertMetric;
const metricToV2 = convertMetric;

const target = (source: Fields) => fieldsOf(source['target']);
const currentOf = (source: Fields) => fieldsOf(source['current']);
const metricOf = (source: Fields) => fieldsOf(source['metric']);
const container = (source: Fields) => present({ container: source['container'] });

const specSourcesToV1: Sources = {
  object: s =>
    present({
      target: s['describedObject'],
      metricName: metricOf(s)['name'],
      targetValue: target(s)['value'] ?? '0',
      selector: metricOf(s)['selector'],
      averageValue: target(s)['averageValue'],
    }),
  pods: s =>
    present({ metricName: metricOf(s)['name'], targetAverageValue: target(s)['averageValue'] ?? '0', selector: metricOf(s)['selector'] }),
  resource: s =>
    present({
      name: s['name'],
      targetAverageUtilization: target(s)['averageUtilization'],
      targetAverageValue: target(s)['averageValue'],
    }),
  containerResource: s =>
    present({
      name: s['name'],
      targetAverageUtilization: target(s)['averageUtilization'],
      targetAverageValue: target(s)['averageValue'],
      ...container(s),
    }),
  external: s =>
    present({
      metricName: metricOf(s)['name'],
      metricSelector: metricOf(s)['selector'],
      targetValue: target(s)['value'],
      targetAverageValue: target(s)['averageValue'],
    }),
};

const metricIdentifier = (name: unknown, selector: unknown) => present({ name, selector });
const resourceTarget = (s: Fields): Fields =>
  present({
    type: s['targetAverageUtilization'] === undefined ? 'AverageValue' : 'Utilization',
    averageValue: s['targetAverageValue'],
    averageUtilization: s['targetAverageUtilization'],
  });

/** The amount comes from an annotation: it need not be a quantity at all. */
function isZero(amount: unknown): boolean {
  try {
    return compareQuantities(amount as Quantity | undefined) === 0;
  } catch {
    return true;
  }
}

const specSourcesToV2: Sources = {
  object: s => ({
    describedObject: s['target'],
    target: present({
      type: s['averageValue'] === undefined ? 'Value' : 'AverageValue',
      value: s['averageValue'] !== undefined && isZero(s['targetValue']) ? undefined : s['targetValue'],
      averageValue: s['averageValue'],
    }),
    metric: metricIdentifier(s['metricName'], s['selector']),
  }),
  pods: s => ({
    metric: metricIdentifier(s['metricName'], s['selector']),
    target: present({ type: 'AverageValue', averageValue: s['targetAverageValue'] }),
  }),
  resource: s => ({ name: s['name'], target: resourceTarget(s) }),
  containerResource: s => ({ name: s['name'], target: resourceTarget(s), ...container(s) }),
  external: s => ({
    metric: metricIdentifier(s['metricName'], s['metricSelector']),
    target: present({
      type: s['targetValue'] === undefined ? 'AverageValue' : 'Value',
      value: s['targetValue'],
      averageValue: s['targetAverageValue'],
    }),
  }),
};

const resourceStatusToV1 = (s: Fields): Fields =>
  present({
    name: s['name'],
    currentAverageUtilization: currentOf(s)['averageUtilization'],
    currentAverageValue: currentOf(s)['averageValue'] ?? '0',
    ...container(s),
  });
const statusSourcesToV1: Sources = {
  object: s =>
    present({
      target: s['describedObject'],
      metricName: metricOf(s)['name'],
      currentValue: currentOf(s)['value'] ?? '0',
      selector: metricOf(s)['selector'],
      averageValue: currentOf(s)['averageValue'],
    }),
  pods: s =>
    present({
      metricName: metricOf(s)['name'],
      currentAverageValue: currentOf(s)['averageValue'] ?? '0',
      selector: metricOf(s)['selector'],
    }),
  resource: resourceStatusToV1,
  containerResource: resourceStatusToV1,
  external: s =>
    present({
      metricName: metricOf(s)['name'],
      metricSelector: metricOf(s)['selector'],
      currentValue: currentOf(s)['value'] ?? '0',
      currentAverageValue: currentOf(s)['averageValue'],
    }),
};

const resourceStatusToV2 = (s: Fields): Fields => ({
  name: s['name'],
  ...container(s),
  current: present({ averageValue: s['currentAverageValue'], averageUtilization: s['currentAverageUtilization'] }),
});
const statusSourcesToV2: Sources = {
  object: s => ({
    metric: metricIdentifier(s['metricName'], s['selector']),
    current: present({ value: s['currentValue'], averageValue: s['averageValue'] }),
    describedObject: s['target'],
  }),
  pods: s => ({
    metric: metricIdentifier(s['metricName'], s['selector']),
    current: present({ averageValue: s['currentAverageValue'] }),
  }),
  resource: resourceStatusToV2,
  containerResource: resourceStatusToV2,
  external: s => ({
    metric: metricIdentifier(s['metricName'], s['metricSelector']),
    current: present({ value: s['currentValue'], averageValue: s['currentAverageValue'] }),
  }),
};

// The annotation holds Go's internal struct, printed with its own field names.
function behaviorToGo(behavior: Fields): Fields {
  const rules = (value: unknown): Fields | null => {
    if (value === undefined) return null;
    const fields = fieldsOf(value);
    return {
      StabilizationWindowSeconds: fields['stabilizationWindowSeconds'] ?? null,
      SelectPolicy: fields['selectPolicy'] ?? null,
      Policies: Array.isArray(fields['policies'])
        ? listOf(fields['policies']).map(p => ({ Type: p['type'], Value: p['value'], PeriodSeconds: p['periodSeconds'] }))
        : null,
      Tolerance: fields['tolerance'] ?? null,
    };
  };
  return { ScaleUp: rules(behavior['scaleUp']), ScaleDown: rules(behavior['scaleDown']) };
}

function behaviorFromGo(text: string | undefined): Fields | undefined {
  if (text === undefined) return undefined;
  let behavior: Fields;
  try {
    behavior = fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
  // Go reads field names in any case.
  const read = (fields: Fields, name: string): unknown =>
    Object.entries(fields).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? undefined;
  const rules = (value: unknown): Fields | undefined => {
    if (value === undefined) return undefined;
    const fields = fieldsOf(value);
    return present({
      stabilizationWindowSeconds: read(fields, 'stabilizationWindowSeconds'),
      selectPolicy: read(fields, 'selectPolicy'),
      policies: Array.isArray(read(fields, 'policies'))
        ? listOf(read(fields, 'policies')).map(p => ({
            type: read(p, 'type'),
            value: read(p, 'value'),
            periodSeconds: read(p, 'periodSeconds'),
          }))
        : undefined,
      tolerance: read(fields, 'tolerance'),
    });
  };
  const scaleUp = rules(read(behavior, 'scaleUp'));
  const scaleDown = rules(read(behavior, 'scaleDown'));
  return scaleUp || scaleDown ? present({ scaleUp, scaleDown }) : undefined;
}
