import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid } from '../../../api/field-error.ts';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { computeQosClass, isSidecar } from './pod-resources.ts';
import { podOptions } from './pod-validation-options.ts';
import type { Quantities } from '../../validation/quantities.ts';
import { semanticEqual } from './semantic-equal.ts';
import { mirrorAnnotation } from './validate-pod-annotations.ts';
import { specOf, validatePod, withField } from './validate-pod-update.ts';

/** Rules of the `resize` subresource: cpu and memory may change, nothing else. */
export function validateResize(obj: KubeObject, old: KubeObject): FieldError[] {
  const pod = obj as unknown as Pod;
  const before = old as unknown as Pod;
  const spec = specOf(pod);
  const oldSpec = specOf(before);
  if (before.metadata?.annotations?.[mirrorAnnotation] !== undefined) return [forbidden('', 'static pods cannot be resized')];
  if (oldSpec.os?.name === 'windows') return [forbidden('', 'windows pods cannot be resized')];
  const errors = validatePod(pod, podOptions(old as { spec?: PodSpec }));
  if ((before.status?.qosClass || computeQosClass(before)) !== computeQosClass(pod))
    errors.push(invalid('spec', pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
  const running = (before.status?.containerStatuses ?? []).find(status => status.state?.running);
  if (running && !running.resources) errors.push(forbidden('spec', 'Pod running on node without support for resize'));
  let remainder = spec;
  if (hasPodResources(oldSpec) || hasPodResources(spec)) remainder = validatePodLevelResize(spec, oldSpec, errors);
  if (before.status?.nodeAllocatableResourceClaimStatuses?.length)
    errors.push(forbidden('spec', 'pods with node allocatable resource claims cannot be resized'));
  const ordering = validateOrdering(spec, oldSpec);
  if (ordering.length > 0) return [...errors, ...ordering];

  (oldSpec.initContainers ?? []).forEach((container, i) =>
    validateKept(spec.initContainers![i]!.resources, container.resources, `spec.initContainers[${i}].resources`, 'resource', errors),
  );
  (oldSpec.containers ?? []).forEach((container, i) =>
    validateKept(spec.containers[i]!.resources, container.resources, `spec.containers[${i}].resources`, 'resource', errors),
  );
  const containers = (spec.containers ?? []).map((container, i) => {
    const rest = withoutCompute(container, oldSpec.containers[i]!);
    if (!semanticEqual(rest, oldSpec.containers[i])) errors.push(forbidden('spec', 'only cpu and memory resources are mutable'));
    return rest;
  });
  const initContainers = spec.initContainers?.map((container, i) => {
    const oldContainer = oldSpec.initContainers![i]!;
    const rest = withoutCompute(container, oldContainer);
    const path = `spec.initContainers[${i}]`;
    if (!semanticEqual(rest, oldContainer))
      errors.push(forbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable'));
    if (!semanticEqual(container, oldContainer) && !isSidecar(container))
      for (const policy of container.resizePolicy ?? [])
        if (policy.restartPolicy === 'RestartContainer')
          errors.push(forbidden(path, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'));
    return rest;
  });
  if (errors.length > 0) return errors;
  const rest = withField({ ...remainder, containers }, 'initContainers', initContainers);
  return semanticEqual(rest, oldSpec) ? [] : [forbidden('spec', 'only cpu and memory resources are mutable')];
}

const hasPodResources = ({ resources }: PodSpec) =>
  Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;

function validateOrdering(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['containers', 'initContainers'] as const) {
    const path = at.child('spec', name);
    const now = spec[name] ?? [];
    const before = old[name] ?? [];
    if (now.length !== before.length) errors.push(forbidden(path, `${name} may not be added or removed on resize`));
    else
      before.forEach((container, i) => {
        if (now[i]!.name !== container.name)
          errors.push(forbidden(at.child(at.index(path, i), 'name'), `${name} may not be renamed or reordered on resize`));
      });
  }
  return errors;
}

function validateKept(
  next: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
  path: string,
  what: 'resource' | 'pod-level resource',
  errors: FieldError[],
): void {
  for (const which of ['requests', 'limits'] as const)
    if (isRemoved(next?.[which], old?.[which])) errors.push(forbidden(at.child(path, which), `${what} ${which} cannot be removed`));
}

function isRemoved(next: Quantities = {}, old: Quantities = {}): boolean {
  return Object.keys(old).some(name => next[name] === undefined);
}

function validatePodLevelResize(spec: PodSpec, old: PodSpec, errors: FieldError[]): PodSpec {
  if (old.resources && !spec.resources) {
    errors.push(forbidden('spec.resources', 'pod-level resources cannot be removed'));
    return spec;
  }
  if (old.resources) validateKept(spec.resources, old.resources, 'spec.resources', 'pod-level resource', errors);
  const rest = computeReset(spec.resources ?? {}, old.resources ?? {});
  const isGone = !old.resources && Object.keys(rest).length === 0;
  const remainder = withField(spec, 'resources', isGone ? undefined : rest);
  if (!semanticEqual(remainder.resources, old.resources))
    errors.push(forbidden('spec', 'only cpu and memory resources are mutable at pod-level'));
  return remainder;
}

function withoutCompute(container: Container, old: Container): Container {
  const { claims: _, ...rest } = computeReset(container.resources ?? {}, old.resources ?? {});
  return { ...container, resources: rest };
}

/** The requirements with cpu and memory put back to their old amounts. */
function computeReset(next: ResourceRequirements, old: ResourceRequirements): ResourceRequirements {
  let result = next;
  for (const which of ['limits', 'requests'] as const) {
    const { cpu: _cpu, memory: _memory, ...others } = next[which] ?? {};
    const before = old[which] ?? {};
    const list: Quantities = { ...others };
    for (const name of ['cpu', 'memory']) if (before[name] !== undefined) list[name] = before[name];
    result = withField(result, which, Object.keys(list).length === 0 ? undefined : list);
  }
  return result;
}
