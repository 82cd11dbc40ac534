import type { AutoscalingV2HorizontalPodAutoscaler, HorizontalPodAutoscalerCondition, MetricStatus } from '../../../api/kubernetes.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { StoredAutoscaler } from './autoscaler-proposals.ts';
import { nonZero } from '../non-zero.ts';

type Status = NonNullable<AutoscalingV2HorizontalPodAutoscaler['status']>;

/** The next status of an autoscaler, as one look at it fills it in. */
export class AutoscalerReport {
  currentReplicas: number;
  desiredReplicas: number;
  metrics: MetricStatus[] | undefined;
  isRescaled = false;
  readonly #old: Status | undefined;
  readonly #now: Date;
  #conditions: HorizontalPodAutoscalerCondition[];

  constructor({ status }: StoredAutoscaler, now: Date) {
    this.#old = status;
    this.#now = now;
    this.#conditions = [...(status?.conditions ?? [])];
    this.currentReplicas = status?.currentReplicas ?? 0;
    this.desiredReplicas = status?.desiredReplicas ?? 0;
    this.metrics = status?.currentMetrics;
  }

  set(type: string, status: 'True' | 'False', reason: string, message: string): void {
    const old = this.#conditions.find(condition => condition.type === type);
    const lastTransitionTime = old?.status === status && old.lastTransitionTime ? old.lastTransitionTime : timestamp(this.#now);
    const next = { type, status, lastTransitionTime, reason, message };
    this.#conditions = old ? this.#conditions.map(condition => (condition === old ? next : condition)) : [...this.#conditions, next];
  }

  status(): Status {
    const lastScaleTime = this.isRescaled ? timestamp(this.#now) : this.#old?.lastScaleTime;
    return {
      desiredReplicas: this.desiredReplicas,
      ...nonZero({ currentReplicas: this.currentReplicas }),
      ...(lastScaleTime !== undefined && { lastScaleTime }),
      currentMetrics: this.metrics ?? (null as unknown as MetricStatus[]),
      conditions: this.#conditions,
    };
  }
}
