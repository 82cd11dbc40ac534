import { StatusError } from '../../api/status.ts';
import type { ClusterApi } from '../../apiserver/cluster-api.ts';
import { eventAbout, events, type EventContent, type EventSubject } from '../../apiserver/controllers/record-event.ts';
import { timestamp } from '../../util/timestamp.ts';
import { EventCorrelator } from './event-correlator.ts';
import type { StoredIdentity } from './stored-object.ts';

export type EventType = EventContent['type'];

/** Tells what happened to objects, in the name of one component. */
export interface EventRecorder {
  /** Never fails and never waits: events are written one after the other, and those beyond a bound are lost. */
  record(about: StoredIdentity, type: EventType, reason: string, message: string, options?: { fieldPath?: string }): void;
  /** Resolves when everything told so far is written. */
  idle(): Promise<void>;
}

const waitingEvents = 1000;

export interface RecorderOptions {
  readonly component: string;
  now(): Date;
  readonly fieldManager?: string;
}

export function eventRecorder(
  api: ClusterApi,
  { component, now, fieldManager = 'kube-controller-manager' }: RecorderOptions,
): EventRecorder {
  let correlator: EventCorrelator | undefined;
  let last = Promise.resolve();
  let waiting = 0;

  return {
    record(about, type, reason, message, options = {}) {
      if (waiting >= waitingEvents) return;
      const { name, namespace = '', uid, resourceVersion } = about.metadata;
      const subject = { apiVersion: about.apiVersion, kind: about.kind, namespace, name, uid, resourceVersion, ...options };
      const at = now();
      waiting++;
      last = last
        .then(() => write(subject, { type, reason, message, component }, at))
        // An event that cannot be written is no failure of what it tells about.
        .catch(() => undefined)
        .then(() => void waiting--);
    },
    idle: () => last,
  };

  async function write(subject: EventSubject, content: EventContent, at: Date): Promise<void> {
    correlator ??= new EventCorrelator();
    const correlation = correlator.correlate(subject, content, at.getTime());
    if (correlation.action === 'drop') return;
    const { key, message } = correlation;
    if (correlation.action === 'count') {
      const target = { namespace: subject.namespace === '' ? 'default' : subject.namespace, name: correlation.name };
      const body = { count: correlation.count, lastTimestamp: timestamp(at), message };
      try {
        return void (await api.patch(events, target, { type: 'strategic', body }, { fieldManager }));
      } catch (error) {
        if (!(error instanceof StatusError) || error.code !== 404) throw error;
        correlator.forget(key);
      }
    }
    const event = eventAbout(subject, { ...content, message }, at);
    await api.create(events, event, { fieldManager });
    correlator.written(key, event.metadata.name ?? '');
  }
}
