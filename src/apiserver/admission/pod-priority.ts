import type { Pod, PodSpec, PriorityClass } from '../../api/kubernetes.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { concerns, forbid, isMainResource, isPod } from './admission-errors.ts';

const priorityClasses = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };

/** Turns priority class names into priorities, and keeps at most one class the default. */
export function podPriority(): AdmissionPlugin {
  return {
    name: 'Priority',
    handles: request =>
      isMainResource(request) &&
      (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
      (isPod(request) || concerns(request, priorityClasses.group, priorityClasses.resource)),
    mutate: request => {
      if (isPod(request)) setPriority(request);
    },
    validate: request => {
      if (!isPod(request)) checkDefaultClass(request);
    },
  };
}

function setPriority(request: AdmissionRequest): void {
  const { spec } = request.object as unknown as Pod & { spec: PodSpec };
  if (request.operation === 'UPDATE') {
    const old = (request.oldObject as unknown as Pod).spec;
    if (old?.priority !== undefined) spec.priority ??= old.priority;
    if (old?.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy;
    return;
  }

  const found = spec.priorityClassName ? findClass(request, spec.priorityClassName) : defaultClass(request);
  const priority = found?.value ?? 0;
  const policy = found ? found.preemptionPolicy : 'PreemptLowerPriority';
  const computed = 'must not be provided in pod spec; priority admission controller computed';
  const source = 'from the given PriorityClass name';
  if (found?.metadata?.name) spec.priorityClassName = found.metadata.name;
  if (spec.priority !== undefined && spec.priority !== priority)
    throw forbid(request, `the integer value of priority (${spec.priority}) ${computed} ${priority} ${source}`);
  spec.priority = priority;
  if (policy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw forbid(request, `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${computed} ${policy} ${source}`);
  spec.preemptionPolicy = policy;
}

function findClass(request: AdmissionRequest, name: string): PriorityClass {
  const found = request.api.peek(priorityClasses, '', name);
  if (!found) throw forbid(request, `no PriorityClass with name ${name} was found`);
  return found as unknown as PriorityClass;
}

function defaultClass(request: AdmissionRequest): PriorityClass | undefined {
  let lowest: PriorityClass | undefined;
  for (const obj of request.api.peekAll(priorityClasses)) {
    const candidate = obj as unknown as PriorityClass;
    if (candidate.globalDefault && (!lowest || (lowest.value ?? 0) > (candidate.value ?? 0))) lowest = candidate;
  }
  return lowest;
}

function checkDefaultClass(request: AdmissionRequest): void {
  if ((request.object as unknown as PriorityClass).globalDefault !== true) return;
  const present = defaultClass(request)?.metadata?.name;
  if (present === undefined || (request.operation === 'UPDATE' && present === request.object?.metadata.name)) return;
  throw forbid(request, `PriorityClass ${present} is already marked as default. Only one default can exist`);
}
