import { parseApiVersion, type KubeObject } from '../../../api/object.ts';
import { workAnnotations } from '../../../api/work.ts';
import { isJsonObject, type JsonObject } from '../../../util/json.ts';

type Labels = Readonly<Record<string, string>>;

const podPaths: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  Deployment: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DeploymentConfig: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
};

/** Kinds whose selector is a map of labels and nothing else. */
const plainSelectors = new Set(['DeploymentConfig', 'Service', 'ReplicationController']);

export const specOf = (obj: KubeObject): JsonObject => {
  const spec = obj['spec'];
  return isJsonObject(spec) ? spec : {};
};

export const withSpec = (obj: KubeObject, fields: Readonly<Record<string, unknown>>): KubeObject => ({
  ...obj,
  spec: { ...specOf(obj), ...fields },
});

/** The same value with another one at the path. Objects on the way are made where they are missing. */
function changeAt(value: unknown, path: readonly string[], change: (at: JsonObject) => JsonObject): JsonObject {
  const object: JsonObject = isJsonObject(value) ? value : {};
  const [first, ...rest] = path;
  return first === undefined ? change(object) : { ...object, [first]: changeAt(object[first], rest, change) };
}

/** Undefined for kinds that have no pods whose references we know. */
export function podSpecOf(obj: KubeObject): JsonObject | undefined {
  const path = podPaths[obj.kind];
  if (!path) return undefined;
  let at: unknown = obj;
  for (const step of [...path, 'spec']) at = isJsonObject(at) ? at[step] : undefined;
  return isJsonObject(at) ? at : undefined;
}

export function withPodSpec(obj: KubeObject, pod: JsonObject): KubeObject {
  const path = podPaths[obj.kind];
  return path ? (changeAt(obj, [...path, 'spec'], () => pod) as unknown as KubeObject) : obj;
}

/** Labels in the template of a workload. Custom kinds are taken to have theirs where Deployments have it. */
export function withTemplateLabels(obj: KubeObject, labels: Labels): KubeObject {
  if (Object.keys(labels).length === 0 || (!podPaths[obj.kind] && !isJsonObject(specOf(obj)['template']))) return obj;
  const path = [...(podPaths[obj.kind] ?? ['spec', 'template']), 'metadata', 'labels'];
  return changeAt(obj, path, present => ({ ...present, ...labels })) as unknown as KubeObject;
}

const selectorPath = (kind: string): readonly string[] =>
  plainSelectors.has(kind) ? ['spec', 'selector'] : ['spec', 'selector', 'matchLabels'];

export function selectorOf(obj: KubeObject): Labels {
  let at: unknown = obj;
  for (const step of selectorPath(obj.kind)) at = isJsonObject(at) ? at[step] : undefined;
  return isJsonObject(at) ? (at as Record<string, string>) : {};
}

export function withSelectorLabels(obj: KubeObject, labels: Labels): KubeObject {
  if (Object.keys(labels).length === 0) return obj;
  return changeAt(obj, selectorPath(obj.kind), present => ({ ...present, ...labels })) as unknown as KubeObject;
}

export function templateLabelsOf(obj: KubeObject): Labels {
  let at: unknown = obj;
  for (const step of [...(podPaths[obj.kind] ?? ['spec', 'template']), 'metadata', 'labels']) at = isJsonObject(at) ? at[step] : undefined;
  return isJsonObject(at) ? (at as Record<string, string>) : {};
}

export const replicasOf = (obj: KubeObject | undefined): number | undefined => {
  const replicas = obj && specOf(obj)['replicas'];
  return typeof replicas === 'number' ? replicas : undefined;
};

export const isCore = (obj: KubeObject, kind: string): boolean => obj.kind === kind && parseApiVersion(obj.apiVersion).group === '';

/** With so many pods. None at all is not for an autoscaler to change. */
export function withReplicas(obj: KubeObject, replicas: number): KubeObject {
  const { [workAnnotations.asleep]: _, ...others } = obj.metadata.annotations ?? {};
  const annotations = replicas === 0 ? { ...others, [workAnnotations.asleep]: 'true' } : others;
  const { annotations: _before, ...metadata } = obj.metadata;
  return withSpec({ ...obj, metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) } }, { replicas });
}
