import { randomUUID } from 'node:crypto';
import type { ClusterApi } from '../cluster-api.ts';
import { timestamp } from '../../util/timestamp.ts';

const events = { group: '', version: 'v1', resource: 'events' };

export interface EventSubject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

export interface EventContent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  component: string;
}

/** Writes a core/v1 Event about an object, in its namespace or in `default`. Failure to write is no failure of the caller. */
export async function recordEvent(api: ClusterApi, now: Date, subject: EventSubject, content: EventContent): Promise<void> {
  const at = timestamp(now);
  const namespace = subject.namespace === '' ? 'default' : subject.namespace;
  const involvedObject = {
    kind: subject.kind,
    ...(subject.namespace !== '' && { namespace: subject.namespace }),
    name: subject.name,
    uid: subject.uid,
    apiVersion: subject.apiVersion,
  };
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${subject.name}.${randomUUID().replaceAll('-', '').slice(0, 16)}`, namespace },
    involvedObject,
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
  await api.create(events, event, { fieldManager: 'kube-controller-manager' }).catch(() => undefined);
}
