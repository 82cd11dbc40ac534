import { createHash } from 'node:crypto';
import { isJsonObject, parseJson } from '../../../util/json.ts';
import type { NotificationRule } from '../kinds/workflow.ts';
import type { HeraldedRun, RunHappening } from './herald.ts';

/** The body of a webhook. */
export interface NotificationBody {
  /** The same for every attempt, so that who gets it twice can tell. */
  readonly id: string;
  readonly event: string;
  readonly run: string;
  readonly namespace: string;
  readonly workflow: string;
  readonly wave: string | null;
  readonly cluster: string | null;
  readonly phase: string | null;
  readonly message: string;
  readonly at: string;
  /** Where the run can be read. */
  readonly url: string;
}

/** Somebody who is to be told, and how far that is. */
export interface Recipient {
  readonly form: 'webhook' | 'slack' | 'email';
  /** Where the address is; of mail, that of the server. */
  readonly secret: { readonly name: string; readonly key: string };
  /** Of mail: whose. */
  readonly to?: string;
  /** How often it was tried. */
  readonly attempts: number;
  readonly nextAt?: string;
  /** How it ended. */
  readonly outcome?: 'delivered' | 'given up';
  readonly error?: string;
}

/** What an Event bears as long as somebody is to be told of it, and afterwards for whoever asks what became of it. */
export interface Notification {
  readonly body: NotificationBody;
  readonly recipients: readonly Recipient[];
}

const maxMessageLength = 8192;

export function notificationFor(told: HeraldedRun, happening: RunHappening, now: Date, url: string): Notification {
  const { run, workflow, notifications } = told;
  const { event, wave = null, cluster = null, phase = null, message } = happening;
  const { name = '', namespace = '' } = run.metadata;
  return {
    body: {
      id: happeningId(run.metadata.uid ?? `${namespace}/${name}`, happening),
      event,
      run: name,
      namespace,
      workflow,
      wave,
      cluster,
      phase,
      message: message.slice(0, maxMessageLength),
      at: now.toISOString(),
      url,
    },
    recipients: notifications.filter(rule => wants(rule, event)).flatMap(recipientsOf),
  };
}

/** A happening is known by what it is, and not by when it was seen. */
export function happeningId(uid: string, { event, wave = '', cluster = '', nonce = '', message }: RunHappening): string {
  return createHash('sha256')
    .update(JSON.stringify([uid, event, wave, cluster, nonce, message]))
    .digest('hex')
    .slice(0, 32);
}

export const notificationText = (notification: Notification): string => JSON.stringify(notification);

/** Undefined when it is none of ours. */
export function parseNotification(text: string | undefined): Notification | undefined {
  if (text === undefined) return undefined;
  try {
    const value = parseJson(text);
    const isOurs = isJsonObject(value) && isJsonObject(value['body']) && Array.isArray(value['recipients']);
    return isOurs ? (value as unknown as Notification) : undefined;
  } catch {
    return undefined;
  }
}

const wants = ({ events = [] }: NotificationRule, event: string): boolean => events.length === 0 || events.some(one => one === event);

const defaultMailSecret = 'mail';

function recipientsOf({ webhook, slack, email = [], mailSecretRef }: NotificationRule): Recipient[] {
  const mail = { form: 'email' as const, secret: { name: mailSecretRef?.name ?? defaultMailSecret, key: 'url' }, attempts: 0 };
  return [
    ...(webhook ? [{ form: 'webhook' as const, secret: webhook.urlSecretRef, attempts: 0 }] : []),
    ...(slack ? [{ form: 'slack' as const, secret: slack.webhookSecretRef, attempts: 0 }] : []),
    ...[...new Set(email)].map(to => ({ ...mail, to })),
  ];
}
