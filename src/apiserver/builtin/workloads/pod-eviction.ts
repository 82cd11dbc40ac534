import type { Eviction, Pod, PodDisruptionBudget } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { badRequest, conflict, forbiddenError, plainError, StatusError, tooManyRequests } from '../../../api/status.ts';
import { cloneJson } from '../../../util/json.ts';
import type { ClusterApi, DeleteOptions } from '../../cluster-api.ts';
import { selectorMatches, validateLabelSelector } from '../../validation/label-selector.ts';
import { setPodCondition } from './pod-conditions.ts';
import { timestamp } from '../../../util/timestamp.ts';

const budgetResource = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
const podResource = { group: '', version: 'v1', resource: 'pods' };
const tooManyMessage = "Cannot evict pod as it would violate the pod's disruption budget.";
const maxDisruptedPods = 2000;

export interface EvictionContext {
  readonly api: ClusterApi;
  readonly now: Date;
  readonly dryRun: boolean;
}

/**
 * Deletes a pod if its disruption budget allows: the budget counts the pod, the pod says why it goes, then it is deleted with
 * the eviction's options. Throws 429 when the budget is used up and 500 when more than one budget covers the pod.
 */
export async function evictPod(obj: KubeObject, body: KubeObject, ctx: EvictionContext): Promise<void> {
  const eviction = body as unknown as Eviction;
  const name = obj.metadata.name ?? '';
  if ((eviction.metadata?.name ?? '') !== name) throw badRequest('name in URL does not match name in Eviction object');
  const given = eviction.deleteOptions ?? {};
  const dryRun = ctx.dryRun || (given.dryRun ?? []).includes('All');
  const pod = obj as unknown as Pod;
  checkPreconditions(obj, given.preconditions ?? {});

  const budget = ignoresBudget(pod) ? undefined : budgetFor(obj, ctx.api);
  if (budget && !isUnhealthyAndEvictable(pod, budget)) {
    const counted = countDisruption(budget, name, ctx.now);
    if (!dryRun)
      await ctx.api.update(budgetResource, counted as unknown as KubeObject, { subresource: 'status', fieldManager: 'kube-apiserver' });
  }
  if (!dryRun) {
    const leaving = cloneJson(pod);
    setPodCondition(
      (leaving.status ??= {}),
      { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
      ctx.now,
    );
    await ctx.api.update(podResource, leaving as unknown as KubeObject, { isAdmitted: true, subresource: 'status' });
  }
  const options: DeleteOptions = { isAdmitted: true, dryRun };
  if (given.gracePeriodSeconds !== undefined) options.gracePeriodSeconds = given.gracePeriodSeconds;
  if (given.propagationPolicy !== undefined)
    options.propagationPolicy = given.propagationPolicy as NonNullable<DeleteOptions['propagationPolicy']>;
  if (given.preconditions?.uid !== undefined) options.preconditions = { uid: given.preconditions.uid };
  await ctx.api.delete(podResource, { namespace: obj.metadata.namespace ?? '', name }, options);
}

function checkPreconditions({ metadata }: KubeObject, wanted: { uid?: string; resourceVersion?: string }): void {
  const refuse = (why: string) => conflict({ group: '', resource: 'Pod' }, metadata.name ?? '', why);
  if (wanted.uid && wanted.uid !== metadata.uid)
    throw refuse(
      `the UID in the precondition (${wanted.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (wanted.resourceVersion && wanted.resourceVersion !== metadata.resourceVersion)
    throw refuse(
      `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
}

const ended = new Set(['Succeeded', 'Failed', 'Pending']);
const ignoresBudget = (pod: Pod) => ended.has(pod.status?.phase ?? '') || pod.metadata?.deletionTimestamp !== undefined;

function budgetFor(pod: KubeObject, api: ClusterApi): PodDisruptionBudget | undefined {
  const budgets = (api.peekAll(budgetResource, pod.metadata.namespace) as unknown as PodDisruptionBudget[]).filter(({ spec }) => {
    const isUsable = validateLabelSelector(spec?.selector, '').length === 0;
    return isUsable && selectorMatches(spec?.selector, pod.metadata.labels ?? {});
  });
  if (budgets.length > 1)
    throw plainError('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
  return budgets[0];
}

function isUnhealthyAndEvictable(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  const isReady = (pod.status?.conditions ?? []).some(c => c.type === 'Ready' && c.status === 'True');
  if (isReady) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** The budget after one more pod was taken from it. Throws when it cannot spare one. */
function countDisruption(budget: PodDisruptionBudget, podName: string, now: Date): PodDisruptionBudget {
  const name = budget.metadata?.name ?? '';
  const status = budget.status;
  const forbid = (why: string) => forbiddenError({ group: 'policy', resource: 'poddisruptionbudget' }, name, why);
  if ((status?.observedGeneration ?? 0) < (budget.metadata?.generation ?? 0)) {
    const message = `The disruption budget ${name} is still being processed by the server.`;
    throw tooManyRequests(tooManyMessage, 10, [{ reason: 'DisruptionBudget', message }]);
  }
  const allowed = status?.disruptionsAllowed ?? 0;
  if (allowed < 0) throw forbid('pdb disruptions allowed is negative');
  if (Object.keys(status?.disruptedPods ?? {}).length > maxDisruptedPods)
    throw forbid('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (allowed === 0)
    throw new StatusError(429, 'TooManyRequests', tooManyMessage, {
      causes: [{ reason: 'DisruptionBudget', message: exhaustedMessage(name, budget) }],
    });

  const counted = cloneJson(budget);
  const next = counted.status!;
  const time = timestamp(now);
  next.disruptionsAllowed = allowed - 1;
  if (next.disruptionsAllowed === 0) markExhausted(next, time);
  next.disruptedPods = { ...next.disruptedPods, [podName]: time };
  return counted;
}

function markExhausted(status: NonNullable<PodDisruptionBudget['status']>, time: string): void {
  const conditions = (status.conditions ??= []);
  const i = conditions.findIndex(c => c.type === 'DisruptionAllowed');
  const old = conditions[i];
  const next = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(status.observedGeneration !== undefined && { observedGeneration: status.observedGeneration }),
    lastTransitionTime: old?.status === 'False' ? old.lastTransitionTime : time,
    reason: 'InsufficientPods',
    message: '',
  };
  if (old) conditions[i] = next;
  else conditions.push(next);
}

function exhaustedMessage(name: string, { status }: PodDisruptionBudget): string {
  const condition = (status?.conditions ?? []).find(c => c.type === 'DisruptionAllowed');
  const explains = condition?.status === 'False' && condition.message !== '';
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  if (explains && condition.reason === 'SyncFailed')
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  if (explains) return `The disruption budget ${name} does not allow evicting pods currently (${condition.reason}): ${condition.message}`;
  return `The disruption budget ${name} does not allow evicting pods currently`;
}
