import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../api/object.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { timestamp } from '../../util/timestamp.ts';

/** Where events are written. */
export const events = { group: '', version: 'v1', resource: 'events' };

export interface EventSubject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  resourceVersion?: string;
  /** The part of the object that is meant, such as one container. */
  fieldPath?: string;
}

export interface EventContent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  component: string;
}

/** A core/v1 Event about an object, in its namespace or in `default`. */
export function eventAbout(subject: EventSubject, content: EventContent, now: Date): KubeObject {
  const at = timestamp(now);
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = subject;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name}.${randomUUID().replaceAll('-', '').slice(0, 16)}`,
      namespace: namespace === '' ? 'default' : namespace,
    },
    involvedObject: {
      kind,
      ...(namespace !== '' && { namespace }),
      name,
      uid,
      apiVersion,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(fieldPath !== undefined && { fieldPath }),
    },
    reason: content.reason,
    message: content.message,
    source: { component: content.component },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    type: content.type,
    reportingComponent: content.component,
    reportingInstance: '',
    eventTime: null,
  };
}

/** Writes an Event about an object. Failure to write is no failure of the caller. */
export async function recordEvent(api: ClusterApi, now: Date, subject: EventSubject, content: EventContent): Promise<void> {
  await api.create(events, eventAbout(subject, content, now), { fieldManager: 'kube-controller-manager' }).catch(() => undefined);
}
