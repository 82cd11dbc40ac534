import type { Pod } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { parseQuantity, QuantityError, wholeValue } from '../../../api/quantity.ts';
import type { StoredPod } from '../pod-state.ts';

/** Thousandths of a unit, by the name of the pod. */
export type PodUsage = Map<string, number>;

/** What pods use: a metrics API in other clusters. All throw an Error in the words of that API when they know nothing. */
export interface MetricSource {
  /** Of one container, or of the whole pod when none is named. */
  resource(pods: readonly StoredPod[], resource: string, container: string): PodUsage;
  perPod(pods: readonly StoredPod[], metric: string): PodUsage;
  /** In thousandths. */
  ofObject(obj: KubeObject | undefined, metric: string): number;
  external(autoscaler: KubeObject, metric: string): number;
}

const prefix = 'sandbox.drover.io/';

/**
 * Reads annotations: `sandbox.drover.io/cpu-usage: 250m` and `memory-usage` of a pod, `cpu-usage.CONTAINER` of one container, and
 * `metric.NAME` of a pod, of the object a metric is about, or of the autoscaler itself for what comes from outside.
 */
export const annotatedMetrics: MetricSource = {
  resource(pods, resource, container) {
    const usage = collect(pods, pod => usageOf(pod, resource, container));
    if (usage.size === 0)
      throw new Error(
        'unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
      );
    return usage;
  },
  perPod(pods, metric) {
    const usage = collect(pods, ({ metadata }) => read(metadata.annotations, `metric.${metric}`));
    if (usage.size === 0)
      throw new Error('unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered');
    return usage;
  },
  ofObject(obj, metric) {
    const value = read(obj?.metadata.annotations, `metric.${metric}`);
    if (value === undefined)
      throw new Error('unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered');
    return value;
  },
  external(autoscaler, metric) {
    const value = read(autoscaler.metadata.annotations, `metric.${metric}`);
    if (value === undefined)
      throw new Error(
        `unable to fetch metrics from external metrics API: the server could not find the requested resource (get ${metric}.external.metrics.k8s.io)`,
      );
    return value;
  },
};

function collect(pods: readonly StoredPod[], of: (pod: StoredPod) => number | undefined): PodUsage {
  const usage: PodUsage = new Map();
  for (const pod of pods) {
    const value = of(pod);
    if (value !== undefined) usage.set(pod.metadata.name, value);
  }
  return usage;
}

function usageOf({ metadata, spec }: StoredPod, resource: string, container: string): number | undefined {
  const own = (name: string) => read(metadata.annotations, `${resource}-usage.${name}`);
  if (container !== '') return own(container);
  const whole = read(metadata.annotations, `${resource}-usage`);
  if (whole !== undefined) return whole;
  const parts = namesOf(spec).map(own);
  return parts.some(part => part === undefined) ? undefined : parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
}

const namesOf = ({ containers }: NonNullable<Pod['spec']>) => containers.map(({ name }) => name);

function read(annotations: Readonly<Record<string, string>> | undefined, key: string): number | undefined {
  const text = annotations?.[`${prefix}${key}`];
  if (text === undefined) return undefined;
  try {
    return Number(wholeValue(parseQuantity(text), -3));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
