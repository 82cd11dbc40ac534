import type { Container, PodTemplateSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { cloneJson } from '../../../util/json.ts';
import { podFromTemplate } from '../pod-control.ts';
import type { NewPod } from './job-pod-changes.ts';
import { failureCountKey, ignoredFailureCountKey, indexKey, isIndexed, trackingFinalizer, type StoredJob } from './job-pods.ts';

const indexVariable = 'JOB_COMPLETION_INDEX';
const longestName = 63;

/** A pod of a job: it is held until the job has counted it, and knows its index if it has one. */
export function jobPod(job: StoredJob, { index, failures }: NewPod): KubeObject {
  const template = cloneJson(job.spec.template);
  const meta = (template.metadata ??= {});
  meta.finalizers = [...new Set([...(meta.finalizers ?? []), trackingFinalizer])];
  if (isIndexed(job)) addIndexVariable(template);
  if (index === undefined) return podFromTemplate(template, job);

  meta.labels = { ...meta.labels, [indexKey]: String(index) };
  meta.annotations = { ...meta.annotations, [indexKey]: String(index) };
  if (failures) meta.annotations[failureCountKey] = String(failures.counted);
  if (failures && failures.ignored > 0) meta.annotations[ignoredFailureCountKey] = String(failures.ignored);
  const { name } = job.metadata;
  if (template.spec) template.spec.hostname = `${name}-${index}`;
  const pod = podFromTemplate(template, job);
  const suffix = `-${index}-`;
  // The server's own ending of five characters must fit too.
  pod.metadata.generateName = name.slice(0, longestName - suffix.length - 5) + suffix;
  return pod;
}

function addIndexVariable({ spec }: PodTemplateSpec): void {
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } };
  const add = (container: Container) => {
    if (container.env?.some(({ name }) => name === indexVariable)) return;
    container.env = [...(container.env ?? []), { name: indexVariable, valueFrom }];
  };
  for (const container of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) add(container);
}
