import type { Notification, Recipient } from './notification.ts';

/** What became of one attempt. */
export interface Attempt {
  readonly error?: string;
  /** Trying again cannot help. */
  readonly isFinal?: boolean;
}

/** How long to wait before each of the retries. */
export const retryDelaysMs: readonly number[] = [5_000, 30_000, 120_000, 300_000, 900_000];

/** Whom to tell now, by their place in the list. */
export function dueRecipients({ recipients }: Notification, now: Date): number[] {
  return recipients.flatMap((recipient, index) => (isDue(recipient, now) ? [index] : []));
}

const isDue = ({ outcome, nextAt }: Recipient, now: Date): boolean =>
  outcome === undefined && (nextAt === undefined || Date.parse(nextAt) <= now.getTime());

/** The notification after attempts, by the place of the recipient. */
export function afterAttempts(notification: Notification, attempts: ReadonlyMap<number, Attempt>, now: Date): Notification {
  const recipients = notification.recipients.map((recipient, index) => {
    const attempt = attempts.get(index);
    return attempt ? afterAttempt(recipient, attempt, now) : recipient;
  });
  return { ...notification, recipients };
}

function afterAttempt({ form, secret, to, attempts }: Recipient, { error, isFinal = false }: Attempt, now: Date): Recipient {
  const tried = { form, secret, ...(to !== undefined && { to }), attempts: attempts + 1 };
  if (error === undefined) return { ...tried, outcome: 'delivered' };
  const delayMs = retryDelaysMs[attempts];
  if (isFinal || delayMs === undefined) return { ...tried, outcome: 'given up', error };
  return { ...tried, error, nextAt: new Date(now.getTime() + delayMs).toISOString() };
}

/** When somebody is to be told next; undefined when all is over. */
export function nextAttemptAt({ recipients }: Notification): number | undefined {
  const times = recipients.filter(one => one.outcome === undefined).map(one => (one.nextAt === undefined ? 0 : Date.parse(one.nextAt)));
  return times.length === 0 ? undefined : Math.min(...times);
}
