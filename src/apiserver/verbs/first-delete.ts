import type { KubeObject } from '../../api/object.ts';
import { foregroundFinalizer, orphanFinalizer } from '../controllers/garbage-collector.ts';
import { customResourceCleanupFinalizer } from '../crd/cleanup-finalizer.ts';
import { condition, withCondition } from '../crd/crd-names.ts';
import { crdStatus } from '../crd/crd-object.ts';
import type { DeletePolicy } from './delete-rules.ts';
import { timestamp } from '../../util/timestamp.ts';

/** Changes an object that was not being deleted yet. */
type FirstDelete = (obj: KubeObject, policy: DeletePolicy, now: Date) => KubeObject;

/** Kinds that hold other objects end in their own way: the first request only starts the end, and a controller brings it about. */
export const firstDeletes: Readonly<Record<string, FirstDelete>> = {
  '/namespaces': endNamespace,
  'apiextensions.k8s.io/customresourcedefinitions': endDefinition,
};

function endNamespace(obj: KubeObject, policy: DeletePolicy, now: Date): KubeObject {
  const { metadata } = obj;
  metadata.deletionTimestamp = timestamp(now);
  obj.status = { ...(obj.status as object), phase: 'Terminating' };
  const present = metadata.finalizers ?? [];
  const shouldHave = (finalizer: string, propagation: string, orphans: boolean) => {
    if (policy.orphanDependents !== undefined) return policy.orphanDependents === orphans;
    return policy.propagationPolicy === undefined ? present.includes(finalizer) : policy.propagationPolicy === propagation;
  };
  const finalizers = present.filter(f => f !== orphanFinalizer && f !== foregroundFinalizer);
  if (shouldHave(orphanFinalizer, 'Orphan', true)) finalizers.push(orphanFinalizer);
  if (shouldHave(foregroundFinalizer, 'Foreground', false)) finalizers.push(foregroundFinalizer);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  return obj;
}

function endDefinition(obj: KubeObject, _policy: DeletePolicy, now: Date): KubeObject {
  const { metadata } = obj;
  metadata.deletionTimestamp = timestamp(now);
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(customResourceCleanupFinalizer)) metadata.finalizers = [...finalizers, customResourceCleanupFinalizer];
  const status = crdStatus(obj);
  const pending = condition(
    'Terminating',
    'True',
    'InstanceDeletionPending',
    'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  );
  obj.status = { ...status, conditions: withCondition(status.conditions ?? [], pending, timestamp(now)) };
  return obj;
}
