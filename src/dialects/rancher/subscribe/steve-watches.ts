import { StatusError } from '../../../api/status.ts';
import { UnreachableError } from '../../../client/transport.ts';
import { errorText } from '../../../util/error-text.ts';
import type { SteveApi } from '../v1/steve-api.ts';
import { steveRemains, steveResource } from '../v1/steve-resource.ts';
import type { SteveType } from '../v1/steve-type.ts';
import { knownPlaces } from '../v1/steve-visible.ts';
import type { EventSocket } from './event-socket.ts';
import { keyOf, parseSubscription, subscriptionEvent, type SteveSubscription } from './steve-subscription.ts';
import { watchType, type TypeEvent, type WatchWish } from './watch-type.ts';

const mostSubscriptions = 100;
/** Who has rights in single places is watched for in each of them. */
const mostPlaces = 32;

const eventNames = { ADDED: 'resource.create', MODIFIED: 'resource.change', DELETED: 'resource.remove' } as const;

/** What one client of `/v1/subscribe` has asked to hear of. `openApi` gives the API as it is now, with the rights of the caller. */
export function steveWatches(openApi: (signal: AbortSignal) => Promise<SteveApi>, socket: EventSocket): { hear(text: string): void } {
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

/** What must be watched so that the caller hears of all he may see: everything at once, or one place after the other. */
async function wishesOf(
  { rights }: SteveApi,
  type: SteveType,
  { namespace, id, selector, resourceVersion }: SteveSubscription,
): Promise<WatchWish[]> {
  const [name = ''] = id.split('/').slice(-1);
  const place = namespace === '' && id.includes('/') ? id.slice(0, id.indexOf('/')) : namespace;
  const base: WatchWish = {
    ...(selector !== '' && { labelSelector: selector }),
    ...(resourceVersion !== '' && { resourceVersion }),
    ...(name !== '' && { name }),
    ...(place !== '' && { namespace: place }),
  };
  const reach = await rights.reach('watch', type, place);
  if (reach.isEverything || name !== '') return [base];
  if (type.scope === 'Cluster' || place !== '') {
    const names = [...reach.names].slice(0, mostPlaces);
    return names.length === 0 ? [base] : names.map(one => ({ ...base, name: one }));
  }
  const places = (await knownPlaces(rights)).slice(0, mostPlaces);
  const reaches = await Promise.all(places.map(one => rights.reach('watch', type, one)));
  const open = places.filter((_, i) => reaches[i]!.isEverything);
  return open.length === 0 ? [base] : open.map(one => ({ ...base, namespace: one }));
}
