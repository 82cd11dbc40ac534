import { StatusError } from '../../../api/status.ts';
import { UnreachableError } from '../../../client/transport.ts';
import { errorText } from '../../../util/error-text.ts';
import type { SteveApi } from '../v1/steve-api.ts';
import { steveRemains, steveResource } from '../v1/steve-resource.ts';
import type { SteveType } from '../v1/steve-type.ts';
import type { EventSocket } from './event-socket.ts';
import { keyOf, parseSubscription, subscriptionEvent, type SteveSubscription } from './steve-subscription.ts';
import { watchType, type TypeEvent, type WatchWish } from './watch-type.ts';
import { isCovered, wishesOf } from './watch-wishes.ts';

const mostSubscriptions = 100;

const eventNames = { ADDED: 'resource.create', MODIFIED: 'resource.change', DELETED: 'resource.remove' } as const;

export interface SteveWatchesOptions {
  /** The API as it is now, with the rights of the caller. */
  openApi(signal: AbortSignal): Promise<SteveApi>;
  /** How often rights are looked at again. */
  readonly recheckMs: number;
}

/** What one client of `/v1/subscribe` has asked to hear of. */
export function steveWatches({ openApi, recheckMs }: SteveWatchesOptions, socket: EventSocket): { hear(text: string): void } {
  const running = new Map<string, AbortController>();
  return { hear };

  function hear(text: string): void {
    const wanted = parseSubscription(text);
    if (!wanted) return socket.send({ name: 'resource.error', data: { error: 'the message is no subscription' } });
    const key = keyOf(wanted);
    if (wanted.stops) return void running.get(key)?.abort();
    if (running.has(key)) return;
    if (running.size >= mostSubscriptions) return tell(wanted, 'there are too many subscriptions on this connection');
    const stopped = new AbortController();
    running.set(key, stopped);
    void follow(wanted, AbortSignal.any([stopped.signal, socket.signal])).finally(() => {
      running.delete(key);
      stopped.abort();
      socket.send(subscriptionEvent('resource.stop', wanted));
    });
  }

  async function follow(wanted: SteveSubscription, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const together = AbortSignal.any([signal, ended.signal]);
    try {
      const api = await openApi(together);
      const type = api.types.find(wanted.resourceType);
      if (!type) throw new StatusError(404, 'NotFound', `failed to find schema ${wanted.resourceType}`);
      const wishes = await wishesOf(api, type, wanted);
      socket.send(subscriptionEvent('resource.start', wanted));
      using _looking = (await isCovered(api, type, wishes)) ? endWithRights(type, wishes, ended) : undefined;
      const show = wanted.isNotification ? notifier(wanted, together) : (event: TypeEvent) => send(api, type, wanted, event);
      // When one of them ends, all do: the client begins anew.
      let failure: unknown;
      const watchOne = (wish: WatchWish) =>
        watch(api, type, wish, { show, signal: together })
          .catch((error: unknown) => void (together.aborted || (failure = error)))
          .finally(() => ended.abort());
      await Promise.all(wishes.map(watchOne));
      if (failure !== undefined) throw failure;
    } catch (error) {
      if (!signal.aborted) tell(wanted, isTellable(error) ? errorText(error) : 'the hub could not answer');
    }
  }

  /** API servers look at rights when a watch begins; here they are looked at again and again, and so is the door to the member. */
  function endWithRights(type: SteveType, wishes: readonly WatchWish[], ended: AbortController): Disposable {
    const look = async () => {
      if (!(await isCovered(await openApi(ended.signal), type, wishes))) ended.abort();
    };
    const timer = setInterval(() => {
      look().catch((error: unknown) => {
        if (error instanceof StatusError && error.code < 500 && error.code !== 429) ended.abort();
      });
    }, recheckMs).unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  async function watch(
    api: SteveApi,
    type: SteveType,
    wish: WatchWish,
    { show, signal }: { show(event: TypeEvent): void | Promise<void>; signal: AbortSignal },
  ): Promise<void> {
    for await (const event of watchType(api, type, wish, signal)) {
      if (signal.aborted) return;
      await show(event);
      await socket.ready();
    }
  }

  async function send(api: SteveApi, type: SteveType, wanted: SteveSubscription, { type: change, row }: TypeEvent): Promise<void> {
    const data = change === 'DELETED' ? steveRemains(api, type, row.object) : await steveResource(api, type, row);
    const revision = row.object.metadata.resourceVersion ?? '';
    socket.send(subscriptionEvent(eventNames[change], wanted, { revision, data }));
  }

  /** Says that something has changed, once for all that changes meanwhile. */
  function notifier(wanted: SteveSubscription, signal: AbortSignal): (event: TypeEvent) => void {
    let revision: string | undefined;
    const timer = setInterval(() => {
      if (revision !== undefined) socket.send(subscriptionEvent('resource.changes', wanted, { revision }));
      revision = undefined;
    }, wanted.debounceMs).unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    return ({ row }) => void (revision = row.object.metadata.resourceVersion ?? '');
  }

  function tell(wanted: SteveSubscription, error: string): void {
    socket.send(subscriptionEvent('resource.error', wanted, { data: { error } }));
  }
}

/** What went wrong inside the hub is not the client's business. */
const isTellable = (error: unknown) => error instanceof StatusError || error instanceof UnreachableError;
