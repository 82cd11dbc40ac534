import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '../../../api/kubernetes.ts';

/** What an autoscaler remembers between looks. */
export interface AutoscalerHistory {
  readonly recommendations: { readonly replicas: number; readonly atMs: number }[];
  readonly scaledUp: ScaleStep[];
  readonly scaledDown: ScaleStep[];
}

interface ScaleStep {
  readonly change: number;
  readonly atMs: number;
}

export interface LimitInput {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly nowMs: number;
}

interface Explained {
  readonly reason: string;
  readonly message: string;
}

export interface LimitedSize {
  readonly replicas: number;
  /** Why the recommendation was followed, or an earlier one instead. */
  readonly able: Explained;
  /** Whether and why the size was held back. */
  readonly limited: Explained & { readonly isLimited: boolean };
  /** The recommendation was held back for now: time alone may change that. */
  readonly isHeld: boolean;
}

/** Without rules of its own an autoscaler shrinks only to the highest size recommended in this time. */
const shrinkWindowSeconds = 300;

const within = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const tooMany = { reason: 'TooManyReplicas', message: 'the desired replica count is more than the maximum replica count' };
const tooFew = { reason: 'TooFewReplicas', message: 'the desired replica count is less than the minimum replica count' };
const tooFastUp = { reason: 'ScaleUpLimit', message: 'the desired replica count is increasing faster than the maximum scale rate' };
const tooFastDown = { reason: 'ScaleDownLimit', message: 'the desired replica count is decreasing faster than the maximum scale rate' };
const matches = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const shrinkHeld = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const growthHeld = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};

/** The size that is allowed now, given what was recommended and done before. */
export function limitSize(input: LimitInput, history: AutoscalerHistory): LimitedSize {
  const { desired, current, behavior } = input;
  const stable = stabilize(input, history);
  const held = behavior && desired >= current ? growthHeld : shrinkHeld;
  const { replicas, why } = behavior ? limitByRules(input, stable, behavior, history) : limitByDefault(input, stable);
  return {
    replicas,
    able: stable === desired ? matches : held,
    limited: { ...why, isLimited: replicas !== stable },
    isHeld: stable !== desired || why === tooFastUp || why === tooFastDown,
  };
}

function stabilize({ current, desired, behavior, nowMs }: LimitInput, { recommendations }: AutoscalerHistory): number {
  const since = (seconds: number) => recommendations.filter(({ atMs }) => atMs > nowMs - seconds * 1000).map(({ replicas }) => replicas);
  const highest = Math.max(desired, ...since(behavior?.scaleDown?.stabilizationWindowSeconds ?? shrinkWindowSeconds));
  if (!behavior) return highest;
  const lowest = Math.min(desired, ...since(behavior.scaleUp?.stabilizationWindowSeconds ?? 0));
  return Math.min(Math.max(current, lowest), highest);
}

function limitByDefault({ current, min, max }: LimitInput, desired: number): { replicas: number; why: Explained } {
  const fastest = Math.max(2 * current, 4);
  if (desired < min) return { replicas: min, why: tooFew };
  if (desired > Math.min(max, fastest)) return { replicas: Math.min(max, fastest), why: max > fastest ? tooFastUp : tooMany };
  return { replicas: desired, why: within };
}

function limitByRules(
  { current, min, max, nowMs }: LimitInput,
  desired: number,
  { scaleUp = {}, scaleDown = {} }: HorizontalPodAutoscalerBehavior,
  history: AutoscalerHistory,
): { replicas: number; why: Explained } {
  if (desired > current) {
    const fastest = Math.max(current, bound(scaleUp, current, history, nowMs, 'up'));
    if (desired > Math.min(max, fastest)) return { replicas: Math.min(max, fastest), why: max > fastest ? tooFastUp : tooMany };
  } else if (desired < current) {
    const fastest = Math.min(current, bound(scaleDown, current, history, nowMs, 'down'));
    if (desired < Math.max(min, fastest)) return { replicas: Math.max(min, fastest), why: min < fastest ? tooFastDown : tooFew };
  }
  return { replicas: desired, why: within };
}

/** The size that policies allow, counted from the size at the start of each policy's period. */
function bound(
  rules: HPAScalingRules,
  current: number,
  { scaledUp, scaledDown }: AutoscalerHistory,
  nowMs: number,
  way: 'up' | 'down',
): number {
  const { selectPolicy = 'Max', policies = [] } = rules;
  if (selectPolicy === 'Disabled') return current;
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const changed = (steps: readonly ScaleStep[]) =>
      steps.filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000).reduce((sum, { change }) => sum + change, 0);
    const start = current - changed(scaledUp) + changed(scaledDown);
    if (type === 'Pods') return way === 'up' ? start + value : start - value;
    return way === 'up' ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
  });
  const wantsLarger = (selectPolicy === 'Min') === (way === 'down');
  return wantsLarger ? Math.max(...proposals) : Math.min(...proposals);
}

/** Windows are counted in seconds: the same recommendation again within one says nothing new. */
const samePeriodMs = 1000;

/** Remembers a recommendation, and forgets those that no window reaches. */
export function rememberRecommendation({ recommendations }: AutoscalerHistory, { desired, behavior, nowMs }: LimitInput): void {
  const longest = Math.max(
    behavior?.scaleDown?.stabilizationWindowSeconds ?? shrinkWindowSeconds,
    behavior?.scaleUp?.stabilizationWindowSeconds ?? 0,
  );
  forgetBefore(recommendations, nowMs - longest * 1000);
  const last = recommendations.at(-1);
  if (last?.replicas === desired && nowMs - last.atMs < samePeriodMs) return;
  recommendations.push({ replicas: desired, atMs: nowMs });
}

export function rememberScale(history: AutoscalerHistory, { current, behavior, nowMs }: LimitInput, replicas: number): void {
  if (!behavior) return;
  const isUp = replicas > current;
  const steps = isUp ? history.scaledUp : history.scaledDown;
  const policies = (isUp ? behavior.scaleUp : behavior.scaleDown)?.policies ?? [];
  forgetBefore(steps, nowMs - Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds)) * 1000);
  steps.push({ change: Math.abs(replicas - current), atMs: nowMs });
}

function forgetBefore(entries: { readonly atMs: number }[], ms: number): void {
  const kept = entries.filter(({ atMs }) => atMs >= ms);
  entries.splice(0, entries.length, ...kept);
}
