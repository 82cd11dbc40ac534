import { isActive, isReady, readySinceMs, type StoredPod } from './pod-state.ts';

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Which pods go first when there are too many: those not yet on a node, not running, not ready, of least cost, on a node with many of
 * their like, and the younger ones. Ages are compared by order of magnitude, so that not always the very youngest is hit.
 */
export function choosePodsToDelete(candidates: readonly StoredPod[], related: readonly StoredPod[], count: number, now: Date): StoredPod[] {
  if (count >= candidates.length) return [...candidates];
  const onNode = new Map<string, number>();
  for (const pod of related) if (isActive(pod)) onNode.set(nodeOf(pod), (onNode.get(nodeOf(pod)) ?? 0) + 1);
  return candidates.toSorted((a, b) => compareForDeletion(a, b, onNode, now)).slice(0, count);
}

/** Negative when `a` goes before `b`. */
function compareForDeletion(a: StoredPod, b: StoredPod, onNode: ReadonlyMap<string, number>, now: Date): number {
  return (
    first(nodeOf(a) === '', nodeOf(b) === '') ||
    (phaseOrder[a.status?.phase ?? ''] ?? 0) - (phaseOrder[b.status?.phase ?? ''] ?? 0) ||
    first(!isReady(a), !isReady(b)) ||
    costOf(a) - costOf(b) ||
    (onNode.get(nodeOf(b)) ?? 0) - (onNode.get(nodeOf(a)) ?? 0) ||
    compareAges(a, b, isReady(a) ? readySinceMs(a) : undefined, isReady(b) ? readySinceMs(b) : undefined, now) ||
    restartsOf(b).regular - restartsOf(a).regular ||
    restartsOf(b).sidecars - restartsOf(a).sidecars ||
    compareAges(a, b, Date.parse(a.metadata.creationTimestamp), Date.parse(b.metadata.creationTimestamp), now)
  );
}

const first = (a: boolean, b: boolean): number => Number(b) - Number(a);
const nodeOf = (pod: StoredPod): string => pod.spec.nodeName ?? '';

function costOf({ metadata }: StoredPod): number {
  const text = metadata.annotations?.[deletionCost] ?? '';
  return /^(0|-?[1-9][0-9]*)$/.test(text) ? Number(text) : 0;
}

function compareAges(a: StoredPod, b: StoredPod, aSince: number | undefined, bSince: number | undefined, now: Date): number {
  if (aSince === undefined || bSince === undefined || aSince === bSince) return 0;
  const difference = magnitude(now.getTime() - aSince) - magnitude(now.getTime() - bSince);
  return difference || (a.metadata.uid < b.metadata.uid ? -1 : 1);
}

/** The order of magnitude, to base two, in nanoseconds as the real controller measures. */
const magnitude = (ageMs: number): number => (ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1);

function restartsOf({ spec, status }: StoredPod): { regular: number; sidecars: number } {
  const sidecars = new Set((spec.initContainers ?? []).filter(c => c.restartPolicy === 'Always').map(c => c.name));
  const most = (statuses: readonly { restartCount: number }[]) => Math.max(0, ...statuses.map(s => s.restartCount));
  return {
    regular: most(status?.containerStatuses ?? []),
    sidecars: most((status?.initContainerStatuses ?? []).filter(s => sidecars.has(s.name))),
  };
}
