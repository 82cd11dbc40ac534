import type { PodCondition, PodStatus } from '../../../api/kubernetes.ts';

/** Adds or replaces a condition. Its transition time moves only when the status does. In place. */
export function setPodCondition(status: PodStatus, condition: Omit<PodCondition, 'lastTransitionTime'>, now: Date): void {
  const conditions = (status.conditions ??= []);
  const i = conditions.findIndex(other => other.type === condition.type);
  const old = conditions[i];
  const lastTransitionTime =
    old?.lastTransitionTime !== undefined && old.status === condition.status ? old.lastTransitionTime : printTime(now);
  // A condition without a probe time prints null, which is how Go shows a time that was never set.
  const next = { lastProbeTime: null, lastTransitionTime, ...condition } as unknown as PodCondition;
  if (old) conditions[i] = next;
  else conditions.push(next);
}

const printTime = (time: Date) => time.toISOString().replace(/\.\d+Z$/, 'Z');
