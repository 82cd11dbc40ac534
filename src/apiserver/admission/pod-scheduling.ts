import type { Node, Pod, PodSpec, RuntimeClass, Toleration } from '../../api/kubernetes.ts';
import { jsonEqual } from '../../util/json.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { concerns, forbid, isMainResource, isPod, specOf } from './admission-errors.ts';

/** Lets pods stay for five minutes on nodes that are not ready or cannot be reached. */
export function defaultTolerationSeconds(): AdmissionPlugin {
  return {
    name: 'DefaultTolerationSeconds',
    handles: request => isPod(request) && isMainResource(request) && (request.operation === 'CREATE' || request.operation === 'UPDATE'),
    mutate: ({ object }) => {
      const spec = specOf<PodSpec>(object!);
      for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
        if (spec.tolerations?.some(t => (t.key === key || !t.key) && (t.effect === 'NoExecute' || !t.effect))) continue;
        spec.tolerations = [...(spec.tolerations ?? []), { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }];
      }
    },
  };
}

/** Keeps pods off new nodes until they have been seen ready. */
export function taintNodesByCondition(): AdmissionPlugin {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  return {
    name: 'TaintNodesByCondition',
    handles: request => request.operation === 'CREATE' && concerns(request, '', 'nodes') && isMainResource(request),
    mutate: ({ object }) => {
      const spec = specOf<NonNullable<Node['spec']>>(object!);
      if (spec.taints?.some(t => t.key === taint.key && t.effect === taint.effect)) return;
      spec.taints = [...(spec.taints ?? []), { ...taint }];
    },
  };
}

const runtimeClasses = { group: 'node.k8s.io', resource: 'runtimeclasses' };

/** Carries overhead and scheduling of a pod's RuntimeClass over to the pod. */
export function runtimeClassPlugin(): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    handles: request => request.operation === 'CREATE' && isPod(request) && isMainResource(request),
    mutate: request => {
      const { spec } = request.object as unknown as Pod & { spec: PodSpec };
      const found = findRuntimeClass(request, spec);
      const overhead = found?.overhead?.podFixed;
      if (found?.overhead) {
        checkOverhead(request, spec, overhead);
        if (overhead) spec.overhead = overhead;
      }
      if (found?.scheduling) setScheduling(request, spec, found.scheduling);
    },
    validate: request => {
      const { spec } = request.object as unknown as Pod & { spec: PodSpec };
      const found = findRuntimeClass(request, spec);
      if (found?.overhead) checkOverhead(request, spec, found.overhead.podFixed);
      else if (spec.overhead) throw forbid(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    },
  };
}

function findRuntimeClass(request: AdmissionRequest, spec: PodSpec): RuntimeClass | undefined {
  if (spec.runtimeClassName === undefined) return undefined;
  const found = request.api.peek(runtimeClasses, '', spec.runtimeClassName);
  if (!found) throw forbid(request, `pod rejected: RuntimeClass ${JSON.stringify(spec.runtimeClassName)} not found`);
  return found as unknown as RuntimeClass;
}

function checkOverhead(request: AdmissionRequest, spec: PodSpec, overhead: unknown): void {
  if (spec.overhead && Object.keys(spec.overhead).length > 0 && !jsonEqual(spec.overhead, overhead))
    throw forbid(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function setScheduling(request: AdmissionRequest, spec: PodSpec, scheduling: NonNullable<RuntimeClass['scheduling']>): void {
  const selector: Record<string, string> = { ...spec.nodeSelector };
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = selector[key];
    if (own !== undefined && own !== value)
      throw forbid(request, `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`);
    selector[key] = value;
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  if (tolerations.length > 0) spec.tolerations = tolerations;
}

/** Of two tolerations where one covers the other, the wider one stays. */
function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  return all.filter((candidate, i) => {
    for (let j = i + 1; j < all.length; j++) if (covers(all[j]!, candidate)) return false;
    for (let j = 0; j < i; j++) if (covers(all[j]!, candidate) && !covers(candidate, all[j]!)) return false;
    return true;
  });
}

function covers(wide: Toleration, narrow: Toleration): boolean {
  if (jsonEqual(wide, narrow)) return true;
  const isKeyCovered = !wide.key && wide.operator === 'Exists' ? true : (wide.key ?? '') === (narrow.key ?? '');
  if (!isKeyCovered || (wide.effect && wide.effect !== narrow.effect)) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined)
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  if ((wide.operator || 'Equal') === 'Exists') return true;
  return (narrow.operator || 'Equal') === 'Equal' && (wide.value ?? '') === (narrow.value ?? '');
}
