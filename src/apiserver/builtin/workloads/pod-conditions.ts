import type { PodCondition, PodStatus } from '../../../api/kubernetes.ts';
import { timestamp } from '../../../util/timestamp.ts';

/** Adds or replaces a condition. Its transition time moves only when the status does. In place. */
export function setPodCondition(status: PodStatus, condition: Omit<PodCondition, 'lastTransitionTime'>, now: Date): void {
  const conditions = (status.conditions ??= []);
  const i = conditions.findIndex(other => other.type === condition.type);
  const old = conditions[i];
  const lastTransitionTime =
    old?.lastTransitionTime !== undefined && old.status === condition.status ? old.lastTransitionTime : timestamp(now);
  // A condition without a probe time prints null, which is how Go shows a time that was never set.
  const next = { lastProbeTime: null, lastTransitionTime, ...condition } as unknown as PodCondition;
  if (old) conditions[i] = next;
  else conditions.push(next);
}
