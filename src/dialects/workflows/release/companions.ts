import type { KubeObject } from '../../../api/object.ts';
import { isJsonObject } from '../../../util/json.ts';
import { renamed } from './marks.ts';
import { selectorOf, specOf, templateLabelsOf, withSelectorLabels, withSpec } from './pod-template.ts';

/** Whether it is an autoscaler that names the workload. */
export function scales(obj: KubeObject, workload: KubeObject): boolean {
  const target = specOf(obj)['scaleTargetRef'];
  if (obj.kind !== 'HorizontalPodAutoscaler' || !isJsonObject(target)) return false;
  return target['kind'] === workload.kind && target['name'] === workload.metadata.name && isNear(obj, workload);
}

/** Whether it is a disruption budget that means the pods of the workload. */
export function protects(obj: KubeObject, workload: KubeObject): boolean {
  if (obj.kind !== 'PodDisruptionBudget' || !isNear(obj, workload)) return false;
  const labels = templateLabelsOf(workload);
  const wanted = Object.entries(selectorOf(obj));
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

const isNear = (a: KubeObject, b: KubeObject): boolean => a.metadata.namespace === b.metadata.namespace;

/** The autoscaler for the workload of another name. */
export function autoscalerFor(obj: KubeObject, suffix: string): KubeObject {
  const target = specOf(obj)['scaleTargetRef'] as { name: string };
  return suffixed(withSpec(obj, { scaleTargetRef: { ...target, name: `${target.name}${suffix}` } }), suffix);
}

/** The disruption budget for those of the pods that have the labels. */
export const budgetFor = (obj: KubeObject, suffix: string, labels: Readonly<Record<string, string>>): KubeObject =>
  suffixed(withSelectorLabels(obj, labels), suffix);

export const suffixed = (obj: KubeObject, suffix: string): KubeObject => renamed(obj, `${obj.metadata.name ?? ''}${suffix}`);
