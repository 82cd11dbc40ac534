import { hostname } from 'node:os';
import { Event } from '../../../api/builtin-kinds.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { log } from '../../../runtime/log.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { RunEvent } from '../kinds/workflow.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import { pageAddress } from '../web/page-address.ts';
import type { Herald } from './herald.ts';
import { notificationFor, notificationText, type Notification } from './notification.ts';

export interface HeraldDeps {
  readonly hub: KubeClient;
  /** Where people find the hub. */
  serverUrl(): string;
  readonly signal: AbortSignal;
  now?(): Date;
}

const fieldManager = 'drover-herald';
const maxNoteLength = 1024;
const maxUnderWay = 16;
const writeTimeoutMs = 10_000;
const bad: readonly RunEvent[] = [
  'GateFailed',
  'ClusterFailed',
  'RunFailed',
  'RollbackFailed',
  'DriftDetected',
  'FreezeBlocked',
  'RunAborted',
];

/** Writes Events of Kubernetes. Those of which somebody is to be told are marked, and whoever runs notifications takes it from there, also after a restart. */
export function eventHerald({ hub, serverUrl, signal, now = () => new Date() }: HeraldDeps): Herald {
  return {
    async tell(told, happenings) {
      const url = pageAddress(serverUrl(), told.run);
      await mapBounded(happenings, maxUnderWay, happening => write(told.run, notificationFor(told, happening, now(), url)));
    },
  };

  async function write(run: KubeObject, notification: Notification): Promise<void> {
    try {
      await hub.create(Event, eventOf(run, notification), { fieldManager, signal, timeoutMs: writeTimeoutMs });
    } catch (error) {
      const code = error instanceof StatusError ? error.code : 0;
      // It was said already.
      if (code === 409) return;
      // A namespace that is going takes nothing new. That must not hold up the run.
      if (code !== 403 && code !== 404 && code !== 422) throw error;
      log.warn('event refused', { controller: 'workflow-herald', name: notification.body.run, err: error });
    }
  }
}

function eventOf(run: KubeObject, notification: Notification): Event {
  const { apiVersion, kind, metadata } = run;
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  const { event, id, at, message } = notification.body;
  const isPending = notification.recipients.length > 0;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      namespace,
      name: `${name.slice(0, 200)}.${id}`,
      ...(isPending && {
        labels: { [deliveryLabels.notify]: 'pending' },
        annotations: { [deliveryAnnotations.notification]: notificationText(notification) },
      }),
    },
    // The API wants microseconds.
    eventTime: `${at.slice(0, -1)}000Z`,
    reportingController: 'drover.io/workflows',
    reportingInstance: hostname().slice(0, 128),
    type: bad.some(one => one === event) ? 'Warning' : 'Normal',
    reason: event,
    action: event,
    note: message.slice(0, maxNoteLength),
    regarding: { apiVersion, kind, name, uid, resourceVersion, namespace },
  };
}
