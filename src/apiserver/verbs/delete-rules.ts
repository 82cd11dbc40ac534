import type { KubeObject, ObjectMeta } from '../../api/object.ts';
import { podGracePeriod } from '../builtin/workloads/pod-subresources.ts';
import { foregroundFinalizer, orphanFinalizer } from '../controllers/garbage-collector.ts';
import type { Resource } from '../resource.ts';

export interface DeletePolicy {
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  orphanDependents?: boolean;
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** The grace a delete of this object has; only pods have any. */
export function gracePeriod(resource: Resource, obj: KubeObject, policy: DeletePolicy): number {
  if (resource.storeKey !== '/pods') return 0;
  return podGracePeriod(obj, policy.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: policy.gracePeriodSeconds });
}

/** The finalizers an object has once deletion was asked for in this way. */
export function deletionFinalizers(resource: Resource, meta: ObjectMeta, policy: DeletePolicy): string[] {
  const present = meta.finalizers ?? [];
  const others = present.filter(f => f !== foregroundFinalizer && f !== orphanFinalizer);
  if (policy.orphanDependents === true) return [...others, orphanFinalizer];
  switch (policy.propagationPolicy) {
    case 'Orphan':
      return [...others, orphanFinalizer];
    case 'Foreground':
      return [...others, foregroundFinalizer];
    case 'Background':
      return others;
    default:
  }
  if (policy.orphanDependents === false) return others;
  // Without a word from the caller, what earlier writers put on the object decides, then the kind's own habit.
  if (present.includes(orphanFinalizer) || present.includes(foregroundFinalizer)) return present;
  return resource.strategy.defaultDeletePolicy === 'Orphan' ? [...others, orphanFinalizer] : others;
}

/** Whether nothing holds an object any more whose deletion was asked for. */
export function isReadyToGo(resource: Resource, obj: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = obj.metadata;
  if (deletionTimestamp === undefined || (finalizers ?? []).length > 0) return false;
  if ((deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return !hasNamespaceFinalizers(resource, obj);
}

/** Namespaces are also held by the finalizers in their spec. */
export function hasNamespaceFinalizers(resource: Resource, obj: KubeObject): boolean {
  if (resource.storeKey !== '/namespaces') return false;
  return ((obj.spec as { finalizers?: string[] } | undefined)?.finalizers ?? []).length > 0;
}
