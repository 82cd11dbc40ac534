import { setTimeout as sleep } from 'node:timers/promises';
import type { KindRef } from '../api/define-kind.ts';
import type { KubeObject } from '../api/object.ts';
import { StatusError } from '../api/status.ts';
import type { KubeClient, WatchEvent } from '../client/kube-client.ts';
import { keyOf, type Key } from './key.ts';
import { ObjectCache, type CacheChange, type Index } from './object-cache.ts';
import { retryDelayMs, type RetryPolicy } from './retry-delay.ts';

export interface InformerOptions<T> {
  /** Stops it. What it knows can still be read. */
  readonly signal: AbortSignal;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly indexes?: Readonly<Record<string, Index<T>>>;
  /** What to keep of an object: dropping large parts nobody reads saves memory. All of it when absent. */
  keep?(obj: T): T;
  /** Hears why a list or watch failed, before it is tried again. */
  onError?(error: unknown): void;
  /** How long to wait after failures: full jitter, 0.5 s at first, 30 s at most. */
  readonly retry?: RetryPolicy;
}

/** The objects of one kind as they are, kept up to date by a watch. Objects must be treated as immutable. */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly kind: KindRef<T>;
  get(key: Key): T | undefined;
  list(): T[];
  /** Those that an index has under a value. */
  by(index: string, value: string): T[];
  /** Hears every change after this moment, in the turn it becomes visible. Listeners must be quick and must not throw. */
  subscribe(listener: (change: CacheChange<T>) => void): Disposable;
  /** Resolves when everything there was has been seen once; rejects when it was stopped before. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
}

const defaultRetry: RetryPolicy = { firstDelayMs: 500, maxDelayMs: 30_000 };
/** A server that ignores the question for the initial state never says that it was complete. */
const initialStateMs = 60_000;
/** A stream that lasted so long was no failure, however it ended. */
const healthyMs = 5_000;

/**
 * Lists once and then watches. After a break it goes on from the last version it saw; when the server has forgotten that version it asks
 * for everything anew and tells listeners the difference.
 */
export function informer<T extends KubeObject>(client: KubeClient, kind: KindRef<T>, options: InformerOptions<T>): Informer<T> {
  const { signal, retry = defaultRetry, keep = obj => obj, onError = () => {} } = options;
  const cache = new ObjectCache<T>(options.indexes);
  const firstSync = Promise.withResolvers<void>();
  firstSync.promise.catch(() => {});
  let hasSynced = false;
  let version: string | undefined;
  let canStreamState = true;

  if (signal.aborted) firstSync.reject(signal.reason);
  else signal.addEventListener('abort', () => firstSync.reject(signal.reason), { once: true });
  void run();

  return {
    kind,
    get: key => cache.get(key),
    list: () => cache.list(),
    by: (index, value) => cache.by(index, value),
    subscribe: listener => cache.subscribe(listener),
    synced: firstSync.promise,
    get hasSynced() {
      return hasSynced;
    },
  };

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      const startedAtMs = performance.now();
      const knownVersion = version;
      try {
        await follow();
      } catch (error) {
        if (signal.aborted) return;
        onError(error);
      }
      const wasFruitful = performance.now() - startedAtMs >= healthyMs || (version !== undefined && version !== knownVersion);
      failures = wasFruitful ? 0 : failures + 1;
      // Also after good streams: those of many informers end together when a server restarts.
      await sleep(retryDelayMs(failures, retry), undefined, { signal }).catch(() => {});
    }
  }

  /** One stream, preceded by the state when there is no version to go on from. */
  async function follow(): Promise<void> {
    if (version === undefined && canStreamState) return followFromState();
    if (version === undefined) complete(await client.list(kind, scope()));
    for await (const event of client.watch(kind, { ...scope(), resourceVersion: version! })) {
      if (!take(event)) return;
    }
  }

  /** State and changes in one stream. The present cache is kept until the new state is complete. */
  async function followFromState(): Promise<void> {
    const state = new Map<Key, T>();
    const late = AbortSignal.timeout(initialStateMs);
    const giveUp = new AbortController();
    const onLate = () => giveUp.abort();
    late.addEventListener('abort', onLate, { once: true });
    let isComplete = false;
    try {
      const events = client.watch(kind, { ...scope(), sendInitialEvents: true, signal: AbortSignal.any([signal, giveUp.signal]) });
      for await (const event of events) {
        if (isComplete) {
          if (!take(event)) return;
        } else if (event.type === 'EXPIRED') return;
        else if (event.type === 'BOOKMARK') {
          if (event.object.metadata.annotations?.['k8s.io/initial-events-end'] !== 'true') continue;
          isComplete = true;
          late.removeEventListener('abort', onLate);
          complete({ items: [...state.values()], resourceVersion: event.object.metadata.resourceVersion ?? '' });
        } else if (event.type === 'DELETED') state.delete(keyOf(event.object));
        else state.set(keyOf(event.object), event.object);
      }
      if (!isComplete && !signal.aborted) canStreamState = false;
    } catch (error) {
      if (!isComplete && refusesInitialEvents(error)) canStreamState = false;
      else throw error;
    } finally {
      late.removeEventListener('abort', onLate);
    }
  }

  function complete({ items, resourceVersion }: { items: readonly T[]; resourceVersion: string }): void {
    cache.replace(items.map(keep));
    version = resourceVersion;
    if (hasSynced) return;
    hasSynced = true;
    firstSync.resolve();
  }

  /** False when the stream is of no more use. */
  function take(event: WatchEvent<T>): boolean {
    if (signal.aborted) return false;
    if (event.type === 'EXPIRED') {
      version = undefined;
      return false;
    }
    const { object } = event;
    if (event.type === 'DELETED') cache.remove(keyOf(object), keep(object));
    else if (event.type !== 'BOOKMARK') cache.put(keep(object));
    version = object.metadata.resourceVersion ?? version;
    return true;
  }

  function scope() {
    const { namespace, labelSelector, fieldSelector } = options;
    return {
      signal,
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
  }
}

/** Servers that cannot stream their state say that the question is wrong. */
function refusesInitialEvents(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 422 || error.code === 400);
}
