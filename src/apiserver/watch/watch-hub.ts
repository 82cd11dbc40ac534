import type { StoreEvent } from '../../store/history.ts';
import type { Store } from '../../store/store.ts';
import { WatchBatch } from './watch-batch.ts';

const bookmarkCheckMs = 10_000;
/** Under load, what was committed meanwhile goes to each watcher in one piece; the more watchers, the longer the while. */
const gatherMsPerWatcher = 0.1;
const maxGatherMs = 25;

/** One that watches objects of a resource, in one namespace or in all (''). */
export interface Receiver {
  readonly storeKey: string;
  readonly namespace: string;
  receive(batch: WatchBatch): void;
  bookmarkIfDue(nowMs: number): void;
  /** Nothing more will come; the client asks again. */
  end(): void;
}

/** Hands committed events to the watchers they concern, found by resource and namespace. One per cluster. */
export class WatchHub {
  readonly store: Store;
  readonly #watchers = new Map<string, Map<string, Set<Receiver>>>();
  readonly #subscription: Disposable;
  #timer: NodeJS.Timeout | undefined;
  #count = 0;
  #gathered: StoreEvent[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #deliveredAtMs = -Infinity;
  readonly #onError: (error: unknown) => void;

  constructor(store: Store, onError: (error: unknown) => void = () => {}) {
    this.store = store;
    this.#onError = onError;
    this.#subscription = store.subscribe(events => this.#gather(events));
  }

  get count(): number {
    return this.#count;
  }

  add(watcher: Receiver): void {
    let byNamespace = this.#watchers.get(watcher.storeKey);
    if (!byNamespace) this.#watchers.set(watcher.storeKey, (byNamespace = new Map()));
    let watchers = byNamespace.get(watcher.namespace);
    if (!watchers) byNamespace.set(watcher.namespace, (watchers = new Set()));
    watchers.add(watcher);
    this.#count++;
    // Only while somebody watches: thousands of clusters in one process have nobody.
    this.#timer ??= setInterval(() => this.#bookmark(), bookmarkCheckMs).unref();
  }

  remove(watcher: Receiver): void {
    const byNamespace = this.#watchers.get(watcher.storeKey);
    const watchers = byNamespace?.get(watcher.namespace);
    if (!watchers?.delete(watcher)) return;
    this.#count--;
    if (this.#count === 0) this.#stopTimer();
    if (watchers.size === 0) byNamespace!.delete(watcher.namespace);
    if (byNamespace!.size === 0) this.#watchers.delete(watcher.storeKey);
  }

  /** Ends every stream of a resource that changed or vanished, so that clients ask again. */
  endAll(storeKey?: string): void {
    this.deliver();
    for (const [key, byNamespace] of [...this.#watchers]) {
      if (storeKey !== undefined && key !== storeKey) continue;
      for (const watchers of [...byNamespace.values()]) for (const watcher of [...watchers]) watcher.end();
    }
  }

  #gather(events: readonly StoreEvent[]): void {
    if (this.#count === 0) return;
    for (const event of events) if (this.#watchers.has(event.entry.resource)) this.#gathered.push(event);
    if (this.#gathered.length === 0 || this.#gathering) return;
    const waitMs = this.#deliveredAtMs + Math.min(maxGatherMs, this.#count * gatherMsPerWatcher) - performance.now();
    if (waitMs < 1) this.deliver();
    else this.#gathering = setTimeout(() => this.deliver(), waitMs);
  }

  /** Hands out what has been gathered. */
  deliver(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    if (this.#gathered.length === 0) return;
    const events = this.#gathered;
    this.#gathered = [];
    this.#dispatch(events);
    this.#deliveredAtMs = performance.now();
  }

  #dispatch(events: readonly StoreEvent[]): void {
    // Events are grouped, so that each watcher writes to its socket once.
    const groups = new Map<Set<Receiver>, WatchBatch>();
    for (const event of events) {
      const byNamespace = this.#watchers.get(event.entry.resource);
      if (!byNamespace) continue;
      for (const scope of event.entry.namespace === '' ? [''] : ['', event.entry.namespace]) {
        const watchers = byNamespace.get(scope);
        if (!watchers) continue;
        let group = groups.get(watchers);
        if (!group) groups.set(watchers, (group = new WatchBatch()));
        group.events.push(event);
      }
    }
    for (const [watchers, group] of groups) {
      for (const watcher of [...watchers]) this.attempt(watcher, () => watcher.receive(group));
    }
  }

  attempt(watcher: Receiver, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.fail(watcher, error);
    }
  }

  /** What cannot be told to one watcher ends that watcher's stream and nothing else: its client asks again. */
  fail(watcher: Receiver, error: unknown): void {
    this.#onError(error);
    watcher.end();
  }

  #bookmark(): void {
    this.deliver();
    const nowMs = performance.now();
    for (const byNamespace of [...this.#watchers.values()]) {
      for (const watchers of [...byNamespace.values()]) {
        for (const watcher of [...watchers]) this.attempt(watcher, () => watcher.bookmarkIfDue(nowMs));
      }
    }
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    this.#subscription[Symbol.dispose]();
    this.endAll();
    this.#stopTimer();
  }
}
