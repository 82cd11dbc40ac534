import { expired } from '../../api/status.ts';
import type { Entry } from '../../store/entry.ts';
import type { Store } from '../../store/store.ts';
import type { Resource } from '../resource.ts';
import { seenThrough, type SeenEvent } from './event-lines.ts';
import type { Selection } from '../verbs/selection.ts';
import type { WatchBatch } from './watch-batch.ts';
import type { Receiver, WatchHub } from './watch-hub.ts';

/** What may wait for a reader in the same process. One that falls further behind starts again from where it is. */
const maxWaiting = 50_000;
const bookmarkEveryMs = 60_000;

export type ObjectEvent = SeenEvent | { readonly type: 'BOOKMARK'; readonly revision: number; readonly endsInitialEvents: boolean };

/** A watch for readers in the same process: stored entries instead of lines. */
export class ObjectWatcher implements Receiver {
  readonly storeKey: string;
  readonly namespace: string;
  readonly #hub: WatchHub;
  readonly #selection: Selection;
  readonly #store: Store;
  #waiting: ObjectEvent[] = [];
  #seenRevision = 0;
  #isEnded = false;
  #wake: () => void = () => {};
  #nextBookmarkMs = performance.now() + bookmarkEveryMs;

  constructor(hub: WatchHub, resource: Resource, selection: Selection) {
    this.storeKey = resource.storeKey;
    this.namespace = selection.namespace;
    this.#hub = hub;
    this.#store = hub.store;
    this.#selection = selection;
  }

  /** Begins after a revision, or, without one, with the present objects. Throws 410 when the revision is too old. */
  start(sinceRevision: number | undefined, sendsInitialEvents: boolean): void {
    if (sinceRevision === undefined) this.#takeState(sendsInitialEvents);
    else this.#takeHistory(sinceRevision);
    this.#hub.add(this);
  }

  #takeState(sendsInitialEvents: boolean): void {
    const { matches } = this.#selection;
    this.#store.forEach(this.storeKey, this.namespace, '', (entry: Entry) => {
      if (!matches || matches(entry)) this.#waiting.push({ type: 'ADDED', entry });
    });
    this.#seenRevision = this.#store.revision;
    if (sendsInitialEvents) this.#waiting.push({ type: 'BOOKMARK', revision: this.#seenRevision, endsInitialEvents: true });
  }

  #takeHistory(sinceRevision: number): void {
    const events = this.#store.history.since(this.storeKey, sinceRevision);
    if (!events) throw expired(`too old resource version: ${sinceRevision} (${this.#store.history.oldest(this.storeKey)})`);
    for (const event of events) {
      const seen = seenThrough(event, this.#selection);
      if (seen) this.#waiting.push(seen);
    }
    this.#seenRevision = Math.max(sinceRevision, this.#store.revision);
  }

  receive(batch: WatchBatch): void {
    for (const event of batch.events) {
      // What was committed before this watch began may still be gathered for others.
      if (event.entry.revision <= this.#seenRevision) continue;
      const seen = seenThrough(event, this.#selection);
      if (seen) this.#waiting.push(seen);
    }
    this.#seenRevision = Math.max(this.#seenRevision, batch.lastRevision);
    if (this.#waiting.length > maxWaiting) this.end();
    this.#wake();
  }

  bookmarkIfDue(nowMs: number): void {
    if (nowMs < this.#nextBookmarkMs) return;
    this.#nextBookmarkMs = nowMs + bookmarkEveryMs;
    this.#waiting.push({ type: 'BOOKMARK', revision: Math.max(this.#seenRevision, this.#store.revision), endsInitialEvents: false });
    this.#wake();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#hub.remove(this);
    this.#wake();
  }

  /** Everything that waits, as soon as something does; undefined when the watch has ended and nothing waits. */
  async next(): Promise<ObjectEvent[] | undefined> {
    while (this.#waiting.length === 0) {
      if (this.#isEnded) return undefined;
      await new Promise<void>(resolve => (this.#wake = resolve));
    }
    const events = this.#waiting;
    this.#waiting = [];
    return events;
  }
}
