import type { StoreEvent } from '../../store/history.ts';
import type { Store } from '../../store/store.ts';
import type { Watcher } from './watcher.ts';

const bookmarkCheckMs = 10_000;

/** Hands committed events to the watchers they concern, found by resource and namespace. One per cluster. */
export class WatchHub {
  readonly store: Store;
  readonly #watchers = new Map<string, Map<string, Set<Watcher>>>();
  readonly #subscription: Disposable;
  readonly #timer: NodeJS.Timeout;
  #count = 0;

  constructor(store: Store) {
    this.store = store;
    this.#subscription = store.subscribe(events => this.#dispatch(events));
    this.#timer = setInterval(() => this.#bookmark(), bookmarkCheckMs).unref();
  }

  get count(): number {
    return this.#count;
  }

  add(watcher: Watcher): void {
    let byNamespace = this.#watchers.get(watcher.storeKey);
    if (!byNamespace) this.#watchers.set(watcher.storeKey, (byNamespace = new Map()));
    let watchers = byNamespace.get(watcher.namespace);
    if (!watchers) byNamespace.set(watcher.namespace, (watchers = new Set()));
    watchers.add(watcher);
    this.#count++;
  }

  remove(watcher: Watcher): void {
    const byNamespace = this.#watchers.get(watcher.storeKey);
    const watchers = byNamespace?.get(watcher.namespace);
    if (!watchers?.delete(watcher)) return;
    this.#count--;
    if (watchers.size === 0) byNamespace!.delete(watcher.namespace);
    if (byNamespace!.size === 0) this.#watchers.delete(watcher.storeKey);
  }

  /** Ends every stream of a resource that changed or vanished, so that clients ask again. */
  endAll(storeKey?: string): void {
    for (const [key, byNamespace] of [...this.#watchers]) {
      if (storeKey !== undefined && key !== storeKey) continue;
      for (const watchers of [...byNamespace.values()]) for (const watcher of [...watchers]) watcher.end();
    }
  }

  #dispatch(events: readonly StoreEvent[]): void {
    // Events of a batch are grouped, so that each watcher writes to its socket once.
    const groups = new Map<Set<Watcher>, StoreEvent[]>();
    for (const event of events) {
      const byNamespace = this.#watchers.get(event.entry.resource);
      if (!byNamespace) continue;
      for (const scope of event.entry.namespace === '' ? [''] : ['', event.entry.namespace]) {
        const watchers = byNamespace.get(scope);
        if (!watchers) continue;
        const group = groups.get(watchers);
        if (group) group.push(event);
        else groups.set(watchers, [event]);
      }
    }
    for (const [watchers, group] of groups) for (const watcher of [...watchers]) watcher.receive(group);
  }

  #bookmark(): void {
    const nowMs = performance.now();
    for (const byNamespace of this.#watchers.values()) {
      for (const watchers of byNamespace.values()) for (const watcher of watchers) watcher.bookmarkIfDue(nowMs);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#subscription[Symbol.dispose]();
    this.endAll();
  }
}
