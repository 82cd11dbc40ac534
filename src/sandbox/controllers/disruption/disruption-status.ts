import type { Condition, PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../../api/kubernetes.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { resolveIntOrPercent } from '../int-or-percent.ts';
import { isReady, type StoredPod } from '../pod-state.ts';
import { isDeleting, type Stored } from '../stored-object.ts';

export type StoredBudget = Stored<PodDisruptionBudget>;

/** How long a pod whose eviction was granted may take to start going. */
const evictionTimeoutMs = 2 * 60_000;

export interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** How many pods there should be, and how many of them healthy. `scale` is what the pods' controllers ask for together. */
export function expectationOf({ spec }: StoredBudget, podCount: number, scale: () => number): Expectation {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable !== undefined) {
    const expectedPods = scale();
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - resolveIntOrPercent(maxUnavailable, expectedPods, 'up')) };
  }
  if (typeof minAvailable === 'number') return { expectedPods: podCount, desiredHealthy: minAvailable };
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  const expectedPods = scale();
  return { expectedPods, desiredHealthy: resolveIntOrPercent(minAvailable, expectedPods, 'up') };
}

/** Whether the budget has to know what the pods' controllers ask for. */
export const needsScale = ({ spec }: StoredBudget): boolean => spec.maxUnavailable !== undefined || typeof spec.minAvailable === 'string';

export interface GrantedEvictions {
  /** Pods that are about to go, by name, and since when. */
  readonly pending: Readonly<Record<string, string>>;
  /** Pods that should have gone by now. */
  readonly overdue: readonly StoredPod[];
  /** When the next of them is overdue; undefined when there is none. */
  readonly nextInMs: number | undefined;
}

export function grantedEvictions({ status }: StoredBudget, pods: readonly StoredPod[], now: Date): GrantedEvictions {
  const pending: Record<string, string> = {};
  const overdue: StoredPod[] = [];
  let nextInMs: number | undefined;
  for (const pod of pods) {
    const since = status?.disruptedPods?.[pod.metadata.name];
    if (since === undefined || isDeleting(pod)) continue;
    const left = Date.parse(since) + evictionTimeoutMs - now.getTime();
    if (left < 0) {
      overdue.push(pod);
      continue;
    }
    pending[pod.metadata.name] = since;
    nextInMs = Math.min(nextInMs ?? left, left);
  }
  return { pending, overdue, nextInMs };
}

export function budgetStatus(
  budget: StoredBudget,
  { expectedPods, desiredHealthy }: Expectation,
  pods: readonly StoredPod[],
  { pending }: GrantedEvictions,
  now: Date,
): PodDisruptionBudgetStatus {
  const currentHealthy = pods.filter(pod => !isDeleting(pod) && pending[pod.metadata.name] === undefined && isReady(pod)).length;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = budget.metadata.generation ?? 0;
  const verdict =
    disruptionsAllowed > 0
      ? ({ status: 'True', reason: 'SufficientPods' } as const)
      : ({ status: 'False', reason: 'InsufficientPods' } as const);
  return {
    ...(Object.keys(pending).length > 0 && { disruptedPods: { ...pending } }),
    observedGeneration,
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: withAllowed(budget, { ...verdict, message: '', observedGeneration }, now),
  };
}

/** The status of a budget that could not be computed: nothing may be evicted. */
export function failedStatus(budget: StoredBudget, message: string, now: Date): PodDisruptionBudgetStatus {
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0, observedGeneration } = budget.status ?? {};
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  const conditions = withAllowed(budget, { status: 'False', reason: 'SyncFailed', message, ...generation }, now);
  return { ...budget.status, currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed: 0, conditions };
}

function withAllowed({ status }: StoredBudget, verdict: Omit<Condition, 'type' | 'lastTransitionTime'>, now: Date): Condition[] {
  const present = status?.conditions ?? [];
  const old = present.find(condition => condition.type === 'DisruptionAllowed');
  const lastTransitionTime = old?.status === verdict.status ? old.lastTransitionTime : timestamp(now);
  const next: Condition = { type: 'DisruptionAllowed', lastTransitionTime, ...verdict };
  return old ? present.map(condition => (condition === old ? next : condition)) : [...present, next];
}
