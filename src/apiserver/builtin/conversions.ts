import type { KubeObject } from '../../api/object.ts';
import { hpaToV1, hpaToV2 } from './autoscaling/hpa-conversion.ts';
import { eventToCore, eventToEvents } from './core/event-conversion.ts';

export type Conversion = (obj: KubeObject) => KubeObject;

const conversions: Readonly<Record<string, Conversion>> = {
  'v1 events.k8s.io/v1 Event': eventToEvents,
  'events.k8s.io/v1 v1 Event': eventToCore,
  'autoscaling/v2 autoscaling/v1 HorizontalPodAutoscaler': hpaToV1,
  'autoscaling/v1 autoscaling/v2 HorizontalPodAutoscaler': hpaToV2,
};

/** How a built-in object gets from one version to another; undefined when there is no such way. The object given is left alone. */
export function builtinConversion(fromApiVersion: string, toApiVersion: string, kind: string): Conversion | undefined {
  if (fromApiVersion === toApiVersion) return obj => obj;
  return conversions[`${fromApiVersion} ${toApiVersion} ${kind}`];
}

/** The version in which kinds with more than one are stored, by resource. */
export const builtinStorageVersions: Readonly<Record<string, string>> = {
  'events.k8s.io/events': 'v1',
  '/events': 'v1',
  'autoscaling/horizontalpodautoscalers': 'autoscaling/v2',
};
