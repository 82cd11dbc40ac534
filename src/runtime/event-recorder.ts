import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { LRUCache } from 'lru-cache';
import { Event } from '../api/builtin-kinds.ts';
import type { KubeObject } from '../api/object.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { log } from './log.ts';

export interface Happening {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase: why it happened. */
  readonly reason: string;
  /** CamelCase: what was done about it. */
  readonly action: string;
  /** One sentence with names. */
  readonly note: string;
  /** Of the event. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface EventRecorder {
  /** Says once what has happened to an object. What was said last about the same reason is not said again. Never throws and never waits. */
  record(regarding: KubeObject, happening: Happening): void;
}

const maxNoteLength = 1024;
const maxUnderWay = 100;
const writeTimeoutMs = 10_000;

/** Writes events of `events.k8s.io/v1`. Losing one loses no state, so failures are only logged. */
export function eventRecorder(client: KubeClient, { controller, signal }: { controller: string; signal: AbortSignal }): EventRecorder {
  const said = new LRUCache<string, string>({ max: 4096 });
  let underWay = 0;
  return {
    record(regarding, happening) {
      const { namespace = '', name = '', uid = '' } = regarding.metadata;
      const about = `${uid || `${regarding.kind}/${namespace}/${name}`} ${happening.reason}`;
      if (signal.aborted || said.get(about) === happening.note) return;
      if (underWay >= maxUnderWay) return log.debug('event dropped', { controller, name });
      said.set(about, happening.note);
      underWay++;
      client
        .create(Event, eventOf(regarding, happening, controller), { signal, timeoutMs: writeTimeoutMs })
        .catch((err: unknown) => {
          if (!signal.aborted) log.debug('event not written', { controller, name, err });
        })
        .finally(() => underWay--);
    },
  };
}

function eventOf({ apiVersion, kind, metadata }: KubeObject, happening: Happening, controller: string): Event {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  const now = new Date();
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      namespace: namespace || 'default',
      name: `${name.slice(0, 220)}.${randomBytes(8).toString('hex')}`,
      ...(happening.labels && { labels: { ...happening.labels } }),
    },
    // The API wants microseconds.
    eventTime: `${now.toISOString().slice(0, -1)}000Z`,
    reportingController: `drover.io/${controller}`,
    reportingInstance: hostname().slice(0, 128),
    type: happening.type,
    reason: happening.reason,
    action: happening.action,
    note: happening.note.slice(0, maxNoteLength),
    regarding: { apiVersion, kind, name, uid, resourceVersion, ...(namespace !== '' && { namespace }) },
  };
}
