export { evictPod } from './pod-eviction.ts';
export { validateResize } from './pod-resize.ts';
import type { FieldError } from '../../../api/field-error.ts';
import { forbidden, notSupported, required } from '../../../api/field-error.ts';
import type { Binding, Container, ObjectMeta as KubernetesObjectMeta, Pod, PodStatus } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { conflict, plainError } from '../../../api/status.ts';
import { cloneJson } from '../../../util/json.ts';
import { dropDisabledPodFields } from './drop-disabled-fields.ts';
import { internalDiff } from './internal-form.ts';
import { setPodCondition } from './pod-conditions.ts';
import { podOptions } from './pod-validation-options.ts';
import { semanticEqual } from './semantic-equal.ts';
import { mirrorAnnotation, validateAnnotationUpdates, validatePodAnnotations } from './validate-pod-annotations.ts';
import { specOf, validatePod, withField } from './validate-pod-update.ts';

const bindingResource = { group: '', resource: 'pods/binding' };

/**
 * The pod after it was bound to a node. Throws the answer of the real server: 409 when it cannot be bound, 500 for a binding
 * without a target. Preconditions (uid, resourceVersion of the binding) are checked against the stored pod.
 */
export function bindPod(obj: KubeObject, binding: KubeObject, { now }: { now: Date }): KubeObject {
  const { metadata = {}, target } = binding as unknown as Binding;
  checkBinding(binding);
  const pod = obj as unknown as Pod;
  const name = obj.metadata.name ?? '';
  const refuse = (why: string) => conflict(bindingResource, name, why);
  checkPreconditions(metadata, obj);
  if (obj.metadata.deletionTimestamp !== undefined) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if (pod.spec?.schedulingGates?.length) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);

  const bound = cloneJson(pod);
  const status: PodStatus = (bound.status ??= {});
  specOf(bound).nodeName = target.name ?? '';
  delete status.nominatedNodeName;
  const meta = (bound.metadata ??= {});
  if (metadata.annotations) meta.annotations = { ...meta.annotations, ...metadata.annotations };
  if (metadata.labels) meta.labels = { ...meta.labels, ...metadata.labels };
  setPodCondition(status, { type: 'PodScheduled', status: 'True' }, now);
  return bound as unknown as KubeObject;
}

/** Throws 500, as the real server does, for a binding without a target. */
export function checkBinding(binding: KubeObject): void {
  const lines = validateBinding((binding as unknown as Binding).target).map(e => `${e.field}: ${e.message}`);
  if (lines.length > 0) throw plainError(lines.length === 1 ? lines[0]! : `[${lines.join(', ')}]`);
}

function validateBinding(target: Binding['target'] | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (target?.kind && target.kind !== 'Node') errors.push(notSupported('target.kind', target.kind, ['Node', '<empty>']));
  if (!target?.name) errors.push(required('target.name'));
  return errors;
}

function checkPreconditions(wanted: KubernetesObjectMeta, { metadata }: KubeObject): void {
  const key = `/registry/pods/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  const mismatch = (field: string, precondition: string, actual: string | undefined) =>
    conflict(
      { group: '', resource: 'pods' },
      metadata.name ?? '',
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${field} in precondition: ${precondition}, ${field} in object meta: ${actual ?? ''}`,
    );
  if (wanted.uid && wanted.uid !== metadata.uid) throw mismatch('UID', wanted.uid, metadata.uid);
  if (wanted.resourceVersion && wanted.resourceVersion !== metadata.resourceVersion)
    throw mismatch('ResourceVersion', wanted.resourceVersion, metadata.resourceVersion);
}

/** The grace a pod is deleted with: none when it runs nowhere or has ended. */
export function podGracePeriod(obj: KubeObject, options: { gracePeriodSeconds?: number }): number {
  const { spec, status } = obj as unknown as Pod;
  if (!spec?.nodeName || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
  const seconds = options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** Carries over what a status writer may not touch. In place. */
export function preparePodStatusUpdate(pod: Pod, old: Pod): void {
  pod.spec = specOf(old);
  const meta = (pod.metadata ??= {});
  if (old.metadata?.ownerReferences) meta.ownerReferences = old.metadata.ownerReferences;
  else delete meta.ownerReferences;
  const status = (pod.status ??= {});
  if (!status.qosClass && old.status?.qosClass) status.qosClass = old.status.qosClass;
  keepObservedGenerations(status, old.status);
  if (!old.status?.nodeAllocatableResourceClaimStatuses?.length) delete status.nodeAllocatableResourceClaimStatuses;
}

function keepObservedGenerations(status: PodStatus, old: PodStatus | undefined): void {
  if (!status.observedGeneration && old?.observedGeneration) status.observedGeneration = old.observedGeneration;
  const known = new Map<string, (number | undefined)[]>();
  for (const { type, observedGeneration } of old?.conditions ?? []) known.set(type, [...(known.get(type) ?? []), observedGeneration]);
  for (const condition of status.conditions ?? []) {
    const generation = known.get(condition.type)?.shift();
    if (!condition.observedGeneration && generation) condition.observedGeneration = generation;
  }
}

/** PUT or PATCH of `ephemeralcontainers`: only that list is taken from the request. In place. */
export function prepareEphemeralContainersUpdate(obj: KubeObject, old: KubeObject): void {
  const pod = obj as unknown as Pod;
  const before = old as unknown as Pod;
  const containers = pod.spec?.ephemeralContainers;
  pod.spec = withField(specOf(before), 'ephemeralContainers', containers);
  keepStatusAndMetadata(obj, old);
  dropDisabledPodFields(pod.spec, before.spec);
}

function keepStatusAndMetadata(obj: KubeObject, old: KubeObject): void {
  if (old['status'] === undefined) delete obj['status'];
  else obj['status'] = old['status'];
  const meta = obj.metadata;
  const before = old.metadata;
  for (const name of ['deletionTimestamp', 'selfLink', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    if (before[name] === undefined) delete meta[name];
    else Object.assign(meta, { [name]: before[name] });
  }
}

export function validateEphemeralContainersUpdate(obj: KubeObject, old: KubeObject): FieldError[] {
  const pod = obj as unknown as Pod;
  const before = old as unknown as Pod;
  if (before.metadata?.annotations?.[mirrorAnnotation] !== undefined)
    return [forbidden('', 'static pods do not support ephemeral containers')];
  const opts = podOptions(old as { spec?: Pod['spec'] & object });
  const errors = validatePod(pod, opts);
  errors.push(...validateAnnotationUpdates(pod.metadata?.annotations, before.metadata?.annotations, 'metadata.annotations'));
  errors.push(...validatePodAnnotations(pod.metadata?.annotations, specOf(pod), 'metadata.annotations', opts));
  const path = 'spec.ephemeralContainers';
  for (const container of specOf(before).ephemeralContainers ?? []) {
    const name = JSON.stringify(container.name);
    const now = specOf(pod).ephemeralContainers?.findLast(c => c.name === container.name);
    if (!now) errors.push(forbidden(path, `existing ephemeral containers ${name} may not be removed\n`));
    else if (!semanticEqual(container, now)) {
      const diff = internalDiff('EphemeralContainer', container, now);
      errors.push(forbidden(path, `existing ephemeral containers ${name} may not be changed\n${diff}`));
    }
  }
  return errors;
}

/** PUT or PATCH of `resize`: only resources and resize policies are taken from the request. In place. */
export function prepareResizeUpdate(obj: KubeObject, old: KubeObject): void {
  const pod = obj as unknown as Pod;
  const spec = specOf(pod);
  const before = specOf(old as unknown as Pod);
  const sameLength = (name: 'containers' | 'initContainers') => (spec[name] ?? []).length === (before[name] ?? []).length;
  if (sameLength('containers') && sameLength('initContainers')) {
    let next = withField(before, 'resources', spec.resources);
    next = { ...next, containers: resized(spec.containers ?? [], before.containers ?? []) };
    pod.spec = withField(next, 'initContainers', spec.initContainers && resized(spec.initContainers, before.initContainers ?? []));
    keepStatusAndMetadata(obj, old);
  }
  dropDisabledPodFields(pod.spec, before);
}

// Renamed or reordered containers stay as they are: validation refuses them.
function resized(containers: Container[], before: Container[]): Container[] {
  if (containers.some((container, i) => container.name !== before[i]?.name)) return containers;
  return containers.map((container, i) => {
    const next = withField(before[i]!, 'resources', container.resources);
    return withField(next, 'resizePolicy', container.resizePolicy);
  });
}
