import type { KubeObject, ObjectMeta } from '../../api/object.ts';
import { conflict } from '../../api/status.ts';
import { cloneJson } from '../../util/json.ts';
import { podGracePeriod } from '../builtin/workloads/pod-subresources.ts';
import { foregroundFinalizer, orphanFinalizer } from '../controllers/garbage-collector.ts';
import type { Resource } from '../resource.ts';
import { firstDeletes } from './first-delete.ts';
import { timestamp } from '../../util/timestamp.ts';

export interface DeletePolicy {
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  orphanDependents?: boolean;
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** An object that waits for its end. */
export interface Marked {
  readonly obj: KubeObject;
  /** True when nothing holds it: it is marked so that watchers see its grace end, and removed. */
  readonly goesAtOnce: boolean;
}

/** What a delete does: nothing because one is under way already, remove the object now, or mark it. */
export function planDelete(resource: Resource, live: KubeObject, policy: DeletePolicy, now: Date): 'pending' | 'now' | Marked {
  const first = firstDeletes[resource.storeKey];
  const isFirst = live.metadata.deletionTimestamp === undefined;
  if (first && isFirst) return { obj: first(cloneJson(live), policy, now), goesAtOnce: false };
  if (hasNamespaceFinalizers(resource, live)) return 'pending';
  const grace = graceOf(resource, live, policy);
  if (grace === 'pending') return 'pending';

  const finalizers = deletionFinalizers(resource, live.metadata, policy);
  if (grace === undefined && finalizers.length === 0) return 'now';
  const obj = cloneJson(live);
  const meta = obj.metadata;
  if (finalizers.length > 0) meta.finalizers = finalizers;
  else delete meta.finalizers;
  if (isFirst && (meta.generation ?? 0) > 0) meta.generation = meta.generation! + 1;
  setGrace(meta, grace, now);
  return { obj, goesAtOnce: meta.deletionGracePeriodSeconds === 0 && finalizers.length === 0 };
}

/** The grace a pod is given, undefined when there is nothing to wait for: only pods that are not at their end yet have any. */
function graceOf(resource: Resource, live: KubeObject, { gracePeriodSeconds: asked }: DeletePolicy): number | 'pending' | undefined {
  if (resource.storeKey !== '/pods') return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds: given = 0 } = live.metadata;
  const seconds = asked !== undefined && asked < 0 ? 1 : asked;
  if (deletionTimestamp === undefined) return podGracePeriod(live, seconds === undefined ? {} : { gracePeriodSeconds: seconds });
  if (given === 0) return undefined;
  return seconds === undefined || seconds >= given ? 'pending' : seconds;
}

/** A later delete may shorten the grace, never lengthen it; it counts from the first request but never ends in the past. */
function setGrace(meta: ObjectMeta, grace: number | undefined, now: Date): void {
  const { deletionTimestamp, deletionGracePeriodSeconds: before = 0 } = meta;
  const nowMs = Math.floor(now.getTime() / 1000) * 1000;
  if (deletionTimestamp === undefined || grace === undefined) {
    const isPast = deletionTimestamp !== undefined && Date.parse(deletionTimestamp) <= nowMs;
    if (!isPast) meta.deletionTimestamp = timestamp(new Date(now.getTime() + (grace ?? 0) * 1000));
    meta.deletionGracePeriodSeconds = grace ?? 0;
    return;
  }
  const end = Date.parse(deletionTimestamp) + (grace - before) * 1000;
  const isOver = end < now.getTime();
  meta.deletionTimestamp = timestamp(isOver ? now : new Date(end));
  meta.deletionGracePeriodSeconds = isOver && grace > 0 ? 1 : grace;
}

/** The finalizers an object has once deletion was asked for in this way. */
function deletionFinalizers(resource: Resource, meta: ObjectMeta, policy: DeletePolicy): string[] {
  const present = meta.finalizers ?? [];
  const others = present.filter(f => f !== foregroundFinalizer && f !== orphanFinalizer);
  const wanted = collectorFinalizer(resource, present, policy);
  const next = wanted === undefined ? others : [...others, wanted];
  const isSame = new Set(next).symmetricDifference(new Set(present)).size === 0;
  return isSame ? present : next;
}

/** The word of the caller counts first, then what earlier writers put on the object, then the kind's own habit. */
function collectorFinalizer({ strategy }: Resource, present: readonly string[], policy: DeletePolicy): string | undefined {
  if (strategy.defaultDeletePolicy === 'Unsupported') return undefined;
  if (policy.orphanDependents !== undefined) return policy.orphanDependents ? orphanFinalizer : undefined;
  if (policy.propagationPolicy !== undefined) {
    return { Orphan: orphanFinalizer, Foreground: foregroundFinalizer, Background: undefined }[policy.propagationPolicy];
  }
  const earlier = present.find(f => f === foregroundFinalizer || f === orphanFinalizer);
  return earlier ?? (strategy.defaultDeletePolicy === 'Orphan' ? orphanFinalizer : undefined);
}

/** Kinds with an end of their own say differently than the others that another object is meant. */
export function checkDeletePreconditions(resource: Resource, { preconditions }: DeletePolicy, live: KubeObject): void {
  if (!preconditions) return;
  const { uid, resourceVersion, name = '' } = live.metadata;
  const hasOwnEnd = firstDeletes[resource.storeKey] !== undefined;
  const refuse = (field: string, wanted: string, found: string | undefined, meaning: string) =>
    hasOwnEnd
      ? conflict(resource, name, `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`)
      : conflict(
          { group: resource.group, resource: resource.kind },
          name,
          `the ${field} in the precondition (${wanted}) does not match the ${field} in record (${found}). The object might have been ${meaning}`,
        );
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw refuse('UID', preconditions.uid, uid, 'deleted and then recreated');
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw refuse('ResourceVersion', preconditions.resourceVersion, resourceVersion, 'modified');
  }
}

/** Whether nothing holds an object any more whose deletion was asked for. */
export function isReadyToGo(resource: Resource, obj: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = obj.metadata;
  if (deletionTimestamp === undefined || (finalizers ?? []).length > 0) return false;
  if ((deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return !hasNamespaceFinalizers(resource, obj);
}

/** Namespaces are also held by the finalizers in their spec. */
function hasNamespaceFinalizers(resource: Resource, obj: KubeObject): boolean {
  if (resource.storeKey !== '/namespaces') return false;
  return ((obj.spec as { finalizers?: string[] } | undefined)?.finalizers ?? []).length > 0;
}
