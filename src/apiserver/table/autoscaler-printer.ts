import type { KubeObject } from '../../api/object.ts';
import { isJsonObject, type Json } from '../../util/json.ts';
import { age, ageColumn, at, column, count, list, nameColumn, nameOf, someOf, text, textOr, type Printer } from './cell.ts';

const lowerFirst = (word: string) => word.charAt(0).toLowerCase() + word.slice(1);
const percent = (value: Json | undefined, otherwise: string) => (typeof value === 'number' ? `${value}%` : otherwise);

const sources = ['External', 'Pods', 'Object', 'Resource', 'ContainerResource'];

function metricCell(spec: Json, status: Json | undefined): string {
  const type = text(spec, 'type');
  if (!sources.includes(type)) return '<unknown type>';
  const source = at(spec, lowerFirst(type));
  const target = at(source, 'target');
  const current = at(status, lowerFirst(type), 'current');
  const isKnown = isJsonObject(current);
  const average = at(target, 'averageValue');
  const name = type === 'Resource' || type === 'ContainerResource' ? `${text(source, 'name')}: ` : '';
  // A current value that is there but empty is Go's zero quantity; only outside metrics leave the average unknown.
  const known = (field: string, otherwise: string) => (isKnown ? textOr(otherwise, current, field) : '<unknown>');

  if (type === 'Pods') return `${known('averageValue', '0')}/${text(average)}`;
  if (average !== undefined && average !== null) {
    const isOutside = type === 'External' || type === 'Object';
    return `${name}${known('averageValue', isOutside ? '<unknown>' : '0')}/${text(average)}${isOutside ? ' (avg)' : ''}`;
  }
  if (name === '') return `${known('value', '0')}/${text(target, 'value')}`;
  return `${name}${percent(at(current, 'averageUtilization'), '<unknown>')}/${percent(at(target, 'averageUtilization'), '<auto>')}`;
}

/** The metrics of autoscaling/v1 are one number; it counts like a v2 metric of the cpu. */
function metricsCell(obj: KubeObject): string {
  const cpu = at(obj, 'spec', 'targetCPUUtilizationPercentage');
  if (obj.apiVersion === 'autoscaling/v1' && typeof cpu === 'number')
    return `cpu: ${percent(at(obj, 'status', 'currentCPUUtilizationPercentage'), '<unknown>')}/${cpu}%`;
  const statuses = list(obj, 'status', 'currentMetrics');
  return (
    someOf(
      list(obj, 'spec', 'metrics').map((spec, i) => metricCell(spec, statuses[i])),
      2,
      ', ',
    ) || '<none>'
  );
}

export const autoscalerPrinter: Printer = {
  columns: [nameColumn, column('Reference'), column('Targets'), column('MinPods'), column('MaxPods'), column('Replicas'), ageColumn],
  cells: (obj, now) => [
    nameOf(obj),
    `${text(obj, 'spec', 'scaleTargetRef', 'kind')}/${text(obj, 'spec', 'scaleTargetRef', 'name')}`,
    metricsCell(obj),
    textOr('<unset>', obj, 'spec', 'minReplicas'),
    count(obj, 'spec', 'maxReplicas'),
    count(obj, 'status', 'currentReplicas'),
    age(obj, now),
  ],
};
