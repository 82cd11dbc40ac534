import { Event } from '../../../api/builtin-kinds.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import { informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import { log } from '../../../runtime/log.ts';
import type { Egress } from '../../../sources/egress.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import { afterAttempts, dueRecipients, nextAttemptAt, type Attempt } from './next-deliveries.ts';
import { notificationText, parseNotification, type Notification } from './notification.ts';
import { sendNotification } from './send-notification.ts';

export interface NotificationsDeps {
  readonly hub: KubeClient;
  readonly egress: Egress;
  readonly signal: AbortSignal;
  onError?(what: string): (error: unknown) => void;
  now?(): Date;
}

const fieldManager = 'drover-herald';
const name = 'workflow-notifications';

/** Tells those who are named on Events that are marked. What was tried is written on the Event, so that nobody who restarts begins anew. */
export function runNotifications({ hub, egress, signal, onError, now }: NotificationsDeps): RunningController {
  const events = informer(hub, Event, {
    signal,
    labelSelector: `${deliveryLabels.notify}=pending`,
    ...(onError && { onError: onError('Event') }),
  });
  return runController({ name, reconcile }, { triggers: [changesOf(events)], signal, concurrency: 8, ...(now && { now }) });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const event = events.get(key);
    if (!event || event.metadata.deletionTimestamp !== undefined) return settled;
    const notification = parseNotification(event.metadata.annotations?.[deliveryAnnotations.notification]);
    if (!notification) return settled;
    const due = dueRecipients(notification, ctx.now);
    const tried = due.length === 0 ? notification : await attempt(notification, due, ctx);
    const nextAt = nextAttemptAt(tried);
    if (tried !== notification || nextAt === undefined) await report(event, tried, nextAt === undefined, ctx);
    return nextAt === undefined ? settled : requeue(Math.max(0, nextAt - ctx.now.getTime()));
  }

  async function attempt(notification: Notification, due: readonly number[], ctx: Context): Promise<Notification> {
    const attempts = new Map<number, Attempt>();
    for (const index of due) {
      attempts.set(index, await sendNotification({ hub, egress }, notification.body, notification.recipients[index]!, ctx.signal));
    }
    const tried = afterAttempts(notification, attempts, ctx.now);
    for (const { outcome, form, error } of tried.recipients) {
      if (outcome !== 'given up') continue;
      log.warn('nobody could be told', { controller: name, kind: form, ns: tried.body.namespace, name: tried.body.run, err: error });
    }
    return tried;
  }

  async function report({ metadata }: Event, notification: Notification, isOver: boolean, ctx: Context): Promise<void> {
    const body = {
      metadata: {
        ...(isOver && { labels: { [deliveryLabels.notify]: null } }),
        annotations: { [deliveryAnnotations.notification]: notificationText(notification) },
      },
    };
    const { namespace, name: eventName = '' } = metadata;
    await hub.patch(Event, { namespace, name: eventName }, { type: 'merge', body }, { fieldManager, signal: ctx.signal });
  }
}
