import { expired } from '../../api/status.ts';
import type { Entry } from '../../store/entry.ts';
import type { StoreEvent } from '../../store/history.ts';
import type { Resource } from '../resource.ts';
import type { Selection } from '../verbs/selection.ts';
import { bookmarkLine, encodeEvent, eventLine, isPlainView, seenThrough, type SeenEvent, type WatchView } from './event-lines.ts';
import type { WatchBatch } from './watch-batch.ts';
import type { WatchHub } from './watch-hub.ts';
import type { WatchOptions } from './watch-options.ts';

/** Where the lines of a watch go. `write` tells whether the reader keeps up. */
export interface WatchSink {
  write(chunk: Buffer): boolean;
  /** Resolves when the reader has caught up. */
  drained(): Promise<void>;
  end(): void;
}

const bookmarkEveryMs = 60_000;
const bookmarkBeforeEndMs = 2000;
const initialChunkBytes = 256 * 1024;

/**
 * One watch stream. While its reader keeps up, events go to the socket as they are committed. A reader that does not is left alone until
 * its socket has drained, and then continues from history; when history has moved on by then, the stream ends and the client resumes
 * or lists again. So a slow reader costs one socket buffer, never more.
 */
export class Watcher {
  readonly storeKey: string;
  readonly namespace: string;
  readonly #hub: WatchHub;
  readonly #resource: Resource;
  readonly #selection: Selection;
  #view: WatchView;
  readonly #options: WatchOptions;
  readonly #sink: WatchSink;
  #timers: NodeJS.Timeout[] = [];
  /** Everything up to this revision has been sent. */
  #sentRevision = 0;
  #isLive = false;
  #isEnded = false;
  #nextBookmarkMs: number;

  constructor(hub: WatchHub, resource: Resource, selection: Selection, view: WatchView, options: WatchOptions, sink: WatchSink) {
    this.storeKey = resource.storeKey;
    this.namespace = selection.namespace;
    this.#hub = hub;
    this.#resource = resource;
    this.#selection = selection;
    this.#view = view;
    this.#options = options;
    this.#sink = sink;
    this.#nextBookmarkMs = performance.now() + bookmarkEveryMs;
  }

  start(): void {
    const { timeoutMs, allowBookmarks } = this.#options;
    this.#timers.push(setTimeout(() => this.end(), timeoutMs).unref());
    if (allowBookmarks && timeoutMs > bookmarkBeforeEndMs) {
      this.#timers.push(setTimeout(() => this.#hub.attempt(this, () => this.#bookmark()), timeoutMs - bookmarkBeforeEndMs).unref());
    }
    this.#hub.add(this);
    this.#run().catch(error => this.#hub.fail(this, error));
  }

  async #run(): Promise<void> {
    const { sinceRevision, sendInitialEvents, allowBookmarks } = this.#options;
    if (sinceRevision === undefined) {
      const revision = await this.#sendState();
      if (sendInitialEvents && allowBookmarks) this.#writeBookmark(revision, true);
    } else {
      this.#sentRevision = Math.min(sinceRevision, Math.max(this.#hub.store.revision, sinceRevision === Infinity ? 0 : sinceRevision));
    }
    await this.#catchUp();
  }

  async #sendState(): Promise<number> {
    const { store } = this.#hub;
    const entries: Entry[] = [];
    const { matches } = this.#selection;
    store.forEach(this.storeKey, this.namespace, '', entry => {
      if (!matches || matches(entry)) entries.push(entry);
    });
    this.#sentRevision = store.revision;
    const revision = store.revision;
    await this.#send(entries.map(entry => ({ type: 'ADDED' as const, entry })));
    return revision;
  }

  /** Writes lines in chunks, waiting for the reader between them. */
  async #send(events: readonly SeenEvent[]): Promise<void> {
    let lines: Buffer[] = [];
    let size = 0;
    const now = new Date();
    for (const event of events) {
      if (this.#isEnded) return;
      const line = await eventLine(this.#resource, event, this.#view, now);
      this.#leaveHeadersOut();
      lines.push(line);
      size += line.length;
      if (size < initialChunkBytes) continue;
      if (!this.#sink.write(Buffer.concat(lines))) await this.#sink.drained();
      lines = [];
      size = 0;
    }
    if (lines.length > 0 && !this.#isEnded && !this.#sink.write(Buffer.concat(lines))) await this.#sink.drained();
  }

  /** Sends what history holds after the last revision sent, until there is nothing left, then goes live in the same turn. */
  async #catchUp(): Promise<void> {
    const { store } = this.#hub;
    while (!this.#isEnded) {
      const events = store.history.since(this.storeKey, this.#sentRevision);
      if (!events) return this.#expire();
      const seen = this.#seen(events);
      const revision = store.revision;
      if (seen.length === 0) {
        if (revision > this.#sentRevision) this.#sentRevision = revision;
        this.#isLive = true;
        return;
      }
      this.#sentRevision = revision;
      await this.#send(seen);
    }
  }

  #seen(events: readonly StoreEvent[]): SeenEvent[] {
    const seen: SeenEvent[] = [];
    for (const event of events) {
      // A watch from a future revision waits for it in silence.
      if (event.entry.revision <= this.#sentRevision) continue;
      const as = seenThrough(event, this.#selection);
      if (as) seen.push(as);
    }
    return seen;
  }

  /** Called by the hub with committed events. */
  receive(batch: WatchBatch): void {
    if (!this.#isLive || this.#isEnded || batch.lastRevision <= this.#sentRevision) return;
    const isWhole = isPlainView(this.#view) && !this.#selection.matches && batch.firstRevision > this.#sentRevision;
    const shared = isWhole ? batch.plainLines(this.#resource) : undefined;
    if (!shared) return this.#receiveOwn(batch.events);
    this.#sentRevision = batch.lastRevision;
    if (!this.#sink.write(shared)) this.#fallBehind();
  }

  #receiveOwn(events: readonly StoreEvent[]): void {
    const seen = this.#seen(events);
    if (seen.length === 0) return;
    const now = new Date();
    const lines: Buffer[] = [];
    for (const event of seen) {
      const line = eventLine(this.#resource, event, this.#view, now);
      if (line instanceof Promise) return this.#fallBehind();
      this.#leaveHeadersOut();
      lines.push(line);
    }
    this.#sentRevision = Math.max(this.#sentRevision, events.at(-1)!.entry.revision);
    if (!this.#sink.write(lines.length === 1 ? lines[0]! : Buffer.concat(lines))) this.#fallBehind();
  }

  /** Continues from history once the socket has drained. */
  #fallBehind(): void {
    this.#isLive = false;
    this.#sink
      .drained()
      .then(() => this.#catchUp())
      .catch(error => this.#hub.fail(this, error));
  }

  bookmarkIfDue(nowMs: number): void {
    if (!this.#options.allowBookmarks || nowMs < this.#nextBookmarkMs) return;
    this.#bookmark();
  }

  #bookmark(): void {
    // A bookmark must not overtake events.
    this.#hub.deliver();
    this.#nextBookmarkMs = performance.now() + bookmarkEveryMs;
    if (!this.#isLive || this.#isEnded) return;
    const revision = Math.max(this.#hub.store.revision, this.#sentRevision);
    this.#writeBookmark(revision, false);
  }

  #writeBookmark(revision: number, endsInitialEvents: boolean): void {
    this.#sink.write(bookmarkLine(this.#resource, revision, this.#view, endsInitialEvents));
    this.#leaveHeadersOut();
  }

  /** The columns of a table are described once. */
  #leaveHeadersOut(): void {
    const { form } = this.#view;
    if (form.as === 'table' && !form.noHeaders) this.#view = { ...this.#view, form: { ...form, noHeaders: true } };
  }

  #expire(): void {
    const oldest = this.#hub.store.history.oldest(this.storeKey);
    const status = expired(`too old resource version: ${this.#sentRevision} (${oldest})`).toStatus();
    this.#sink.write(encodeEvent('ERROR', status, this.#view));
    this.end();
  }

  /** Ends the stream; the client reconnects from the last version it has seen. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#hub.remove(this);
    this.#sink.end();
  }
}
