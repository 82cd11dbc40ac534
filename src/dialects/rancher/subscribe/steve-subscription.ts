import { isJsonObject, parseJson, type JsonObject } from '../../../util/json.ts';

/** What a client of `/v1/subscribe` wants to hear of, or no more. */
export interface SteveSubscription {
  readonly resourceType: string;
  readonly namespace: string;
  readonly id: string;
  readonly selector: string;
  readonly resourceVersion: string;
  /** Only that something has changed, now and then, instead of what. */
  readonly isNotification: boolean;
  readonly debounceMs: number;
  readonly stops: boolean;
}

const notificationMode = 'resource.changes';
const usualDebounceMs = 5000;
const shortestDebounceMs = 500;
/** A timer that is to wait longer than it can does not wait at all. */
const longestDebounceMs = 3_600_000;

/** Reads one message. Undefined when it is none. */
export function parseSubscription(text: string): SteveSubscription | undefined {
  let message: unknown;
  try {
    message = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(message)) return undefined;
  const textOf = (name: string) => (typeof message[name] === 'string' ? message[name] : '');
  if (textOf('resourceType') === '') return undefined;
  const { debounceMs } = message;
  return {
    resourceType: textOf('resourceType'),
    namespace: textOf('namespace'),
    id: textOf('id'),
    selector: textOf('selector'),
    resourceVersion: textOf('resourceVersion'),
    isNotification: message['mode'] === notificationMode,
    debounceMs:
      typeof debounceMs === 'number' && debounceMs > 0
        ? Math.min(longestDebounceMs, Math.max(shortestDebounceMs, debounceMs))
        : usualDebounceMs,
    stops: message['stop'] === true,
  };
}

/** Two messages with the same key are about the same subscription. */
export function keyOf({ resourceType, namespace, id, selector, isNotification }: SteveSubscription): string {
  return JSON.stringify([resourceType, namespace, id, selector, isNotification]);
}

/** An event of a subscription, with what tells it from others. */
export function subscriptionEvent(
  name: string,
  { resourceType, namespace, id, selector, isNotification }: SteveSubscription,
  more: JsonObject = {},
): JsonObject {
  return {
    name,
    resourceType,
    ...(namespace !== '' && { namespace }),
    ...(id !== '' && { id }),
    ...(selector !== '' && { selector }),
    ...(isNotification && { mode: notificationMode }),
    ...more,
  };
}
