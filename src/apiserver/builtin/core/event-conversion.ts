import type { KubeObject, ObjectMeta } from '../../../api/object.ts';

/** Event as core/v1 names its fields. */
export interface CoreEvent {
  metadata: ObjectMeta;
  involvedObject?: Partial<Record<'kind' | 'namespace' | 'name' | 'uid' | 'apiVersion' | 'resourceVersion' | 'fieldPath', string>>;
  reason?: string;
  message?: string;
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  count?: number;
  type?: string;
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string | null };
  action?: string;
  related?: unknown;
  reportingComponent?: string;
  reportingInstance?: string;
}

const coreToEvents: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};
const eventsToCore = Object.fromEntries(Object.entries(coreToEvents).map(([core, events]) => [events, core]));

function rename(obj: KubeObject, names: Readonly<Record<string, string>>, apiVersion: string): KubeObject {
  const renamed: KubeObject = { apiVersion, kind: obj.kind, metadata: obj.metadata };
  for (const field in obj) if (!(field in renamed)) renamed[names[field] ?? field] = obj[field];
  return renamed;
}

/** core/v1 prints the reporter also when it is empty; events.k8s.io/v1 leaves it out. */
export function eventToCore(obj: KubeObject): KubeObject {
  const core = rename(obj, eventsToCore, 'v1');
  core['reportingComponent'] ??= '';
  core['reportingInstance'] ??= '';
  return core;
}

export function eventToEvents(obj: KubeObject): KubeObject {
  const event = rename(obj, coreToEvents, 'events.k8s.io/v1');
  for (const field of ['reportingController', 'reportingInstance']) if (event[field] === '') delete event[field];
  return event;
}

/** Whatever version an event is in, its core form. */
export function toCoreEvent(obj: KubeObject): CoreEvent {
  return (obj.apiVersion === 'events.k8s.io/v1' ? eventToCore(obj) : obj) as unknown as CoreEvent;
}
