import type { KubeObject } from '../api/object.ts';
import { SortedMap } from '../util/sorted-map.ts';
import { encodeObject, Entry, listKey } from './entry.ts';
import { History, type StoreEvent } from './history.ts';
import type { Journal, JournalRow } from './journal.ts';
import type { Birth, StoreBase } from './store-base.ts';

export interface ObjectKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Thrown when the newest version of the object is not the one the writer has seen. */
export class RevisionConflictError extends Error {
  override name = 'RevisionConflictError';
}

export interface StoreOptions {
  readonly now?: () => number;
  /** What the store begins with. It must be the same whenever the journal is opened. */
  readonly base?: { readonly objects: StoreBase; readonly birth: Birth };
}

interface PendingWrite {
  event: StoreEvent;
  row: JournalRow;
  resolve: (entry: Entry) => void;
  reject: (error: Error) => void;
}

/**
 * All objects of one cluster, in memory, with every change made durable before anybody sees it.
 *
 * There are two views. The committed view is what readers and watchers see. The head view includes writes that are on their way to
 * the disk; only read-modify-write uses it, so that writers of the same object need not wait for each other's fsync. Writes
 * reach the disk in the order of their revisions, one batch at a time; whatever arrives meanwhile forms the next batch.
 */
export class Store {
  readonly #journal: Journal;
  readonly #base: StoreOptions['base'];
  /** Those of the base are added when somebody looks at them. */
  readonly #committed = new Map<string, SortedMap<Entry>>();
  readonly #written = new Set<string>();
  /** Keys whose newest version is not committed yet; undefined when that version is a deletion. */
  readonly #head = new Map<string, Entry | undefined>();
  readonly #listeners = new Set<(events: readonly StoreEvent[]) => void>();
  readonly history: History;
  #pending: PendingWrite[] = [];
  #unsettled: { readonly key: ObjectKey; readonly revision: number; resolve(): void }[] = [];
  #inFlight = false;
  #lastRevision = 0;
  #committedRevision = 0;
  #idle: (() => void)[] = [];
  #failure: Error | undefined;

  private constructor(journal: Journal, { now = () => performance.now(), base }: StoreOptions) {
    this.#journal = journal;
    this.#base = base;
    this.history = new History(now);
  }

  static async open(journal: Journal, options: StoreOptions = {}): Promise<Store> {
    const store = new Store(journal, options);
    const latest = new Map<string, Entry>();
    const events: StoreEvent[] = [];
    const { compactedRevision } = await journal.load(rows => {
      for (const row of rows) store.#replay(row, latest, events);
    });
    const oldest = Math.max(compactedRevision, options.base?.objects.revision ?? 0);
    store.history.restore(events, oldest);
    store.#committedRevision = store.#lastRevision = Math.max(store.#lastRevision, oldest, 1);
    return store;
  }

  #replay(row: JournalRow, latest: Map<string, Entry>, events: StoreEvent[]): void {
    const id = `${row.resource}\0${row.namespace}\0${row.name}`;
    const previous = latest.get(id) ?? (this.#base && this.get(row));
    const bytes = Buffer.from(row.value.buffer, row.value.byteOffset, row.value.byteLength);
    const entry = new Entry(row, row.revision, bytes);
    const rows = this.#table(row.resource);
    const key = listKey(row.namespace, row.name);
    if (row.operation === 'delete') {
      rows.delete(key);
      latest.delete(id);
    } else {
      rows.set(key, entry);
      latest.set(id, entry);
    }
    events.push({ type: eventTypes[row.operation], entry, previous });
    this.#lastRevision = row.revision;
  }

  /** The revision of the newest committed change. */
  get revision(): number {
    return this.#committedRevision;
  }

  get(key: ObjectKey): Entry | undefined {
    return this.#find(key.resource)?.get(listKey(key.namespace, key.name));
  }

  /** The newest version, committed or not: what the next write of this object must start from. */
  getHead(key: ObjectKey): Entry | undefined {
    const id = headKey(key);
    return this.#head.has(id) ? this.#head.get(id) : this.get(key);
  }

  /** Resolves when readers see a version of an object, this one or a newer, or when no version of it is on its way any more. */
  settled(key: ObjectKey, revision = 0): Promise<void> {
    if (this.#isSettled(key, revision)) return Promise.resolve();
    return new Promise(resolve => this.#unsettled.push({ key, revision, resolve }));
  }

  #isSettled(key: ObjectKey, revision: number): boolean {
    return (this.get(key)?.revision ?? -1) >= revision || !this.#head.has(headKey(key));
  }

  /** Committed objects in the order of namespace and name, from a list key on. */
  forEach(resource: string, namespace: string | undefined, from: string, visit: (entry: Entry) => boolean | void): void {
    const table = this.#find(resource);
    if (!table) return;
    if (namespace === undefined || namespace === '') return table.forEachFrom(from, visit);
    const prefix = `${namespace}/`;
    table.forEachFrom(from > prefix ? from : prefix, (entry, key) => (key.startsWith(prefix) ? visit(entry) : false));
  }

  /** Committed objects in whose bytes one of the texts is; the others are not even made. */
  forEachIncluding(resource: string, texts: readonly string[], visit: (entry: Entry) => void): void {
    const isUntouched = !this.#committed.has(resource);
    if (isUntouched && !texts.some(text => this.#base?.objects.includes(resource, text))) return;
    this.forEach(resource, undefined, '', entry => {
      if (texts.some(text => entry.includes(text))) visit(entry);
    });
  }

  count(resource: string, namespace?: string): number {
    if (namespace === undefined || namespace === '') return this.#committed.get(resource)?.size ?? this.#base?.objects.count(resource) ?? 0;
    let n = 0;
    this.forEach(resource, namespace, '', () => void n++);
    return n;
  }

  resources(): Iterable<string> {
    return new Set([...(this.#base?.objects.resources() ?? []), ...this.#committed.keys()]);
  }

  /** Resources in which the store differs, or once differed, from its base. */
  get written(): ReadonlySet<string> {
    return this.#written;
  }

  /**
   * Stores an object, or deletes it when `obj` is undefined, if the newest version is still `expected` (undefined: absent).
   * The new revision is written into the object. Resolves with the committed entry; for a deletion, with the last state under the
   * deletion's revision.
   */
  write(key: ObjectKey, obj: KubeObject | undefined, expected: Entry | undefined): Promise<Entry> {
    if (this.#failure) return Promise.reject(this.#failure);
    const head = this.getHead(key);
    if (head !== expected) return Promise.reject(new RevisionConflictError(`"${key.namespace}/${key.name}" has changed`));

    const revision = ++this.#lastRevision;
    const source = obj ?? expected!.obj;
    const stamped = { ...source, metadata: { ...source.metadata, resourceVersion: String(revision) } };
    const entry = new Entry(key, revision, encodeObject(stamped), stamped);
    const operation = obj === undefined ? 'delete' : expected === undefined ? 'create' : 'update';
    this.#head.set(headKey(key), obj === undefined ? undefined : entry);
    return new Promise((resolve, reject) => {
      this.#pending.push({
        event: { type: eventTypes[operation], entry, previous: expected },
        row: { revision, resource: key.resource, namespace: key.namespace, name: key.name, operation, value: entry.bytes },
        resolve,
        reject,
      });
      if (!this.#inFlight) this.#flush();
    });
  }

  /** Hears each batch of committed events, in order, in the turn in which they become visible. */
  subscribe(listener: (events: readonly StoreEvent[]) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #flush(): void {
    const batch = this.#pending;
    this.#pending = [];
    const obsolete = this.history.takeObsolete();
    if (batch.length === 0 && obsolete.length === 0) {
      this.#inFlight = false;
      for (const done of this.#idle.splice(0)) done();
      return;
    }
    this.#inFlight = true;
    this.#journal.append({ rows: batch.map(w => w.row), obsolete, compactedRevision: this.history.compactedRevision }).then(
      () => {
        this.#publish(batch);
        this.#flush();
      },
      (error: Error) => {
        this.history.giveBackObsolete(obsolete);
        this.#refuse(batch, error);
        if (this.#pending.length > 0) return this.#flush();
        this.#inFlight = false;
        for (const done of this.#idle.splice(0)) done();
      },
    );
  }

  #publish(batch: readonly PendingWrite[]): void {
    for (const { event } of batch) {
      const { entry } = event;
      const table = this.#table(entry.resource);
      const key = listKey(entry.namespace, entry.name);
      if (event.type === 'DELETED') table.delete(key);
      else table.set(key, entry);
      const id = headKey(entry);
      const head = this.#head.get(id);
      if (head === entry || (head === undefined && event.type === 'DELETED' && !this.#pendingFor(id))) this.#head.delete(id);
      this.history.push(event);
      this.#committedRevision = entry.revision;
    }
    if (batch.length > 0) {
      const events = batch.map(w => w.event);
      for (const listener of this.#listeners) listener(events);
    }
    for (const { event, resolve } of batch) resolve(event.entry);
    this.#tellSettled();
  }

  #tellSettled(): void {
    if (this.#unsettled.length === 0) return;
    const waiting = this.#unsettled;
    this.#unsettled = waiting.filter(({ key, revision }) => !this.#isSettled(key, revision));
    for (const { key, revision, resolve } of waiting) if (this.#isSettled(key, revision)) resolve();
  }

  #pendingFor(id: string): boolean {
    return this.#pending.some(w => headKey(w.event.entry) === id);
  }

  /** A batch that did not reach the disk never happened; writes that were built on top of it did not happen either. */
  #refuse(batch: readonly PendingWrite[], error: Error): void {
    const refused = new Set(batch.map(w => w.event.entry));
    const kept: PendingWrite[] = [];
    this.#head.clear();
    for (const write of this.#pending) {
      if (write.event.previous && refused.has(write.event.previous)) {
        refused.add(write.event.entry);
        write.reject(error);
        continue;
      }
      kept.push(write);
      this.#head.set(headKey(write.event.entry), write.event.type === 'DELETED' ? undefined : write.event.entry);
    }
    this.#pending = kept;
    for (const { reject } of batch) reject(error);
    this.#tellSettled();
  }

  #find(resource: string): SortedMap<Entry> | undefined {
    const table = this.#committed.get(resource);
    if (table || !this.#base || this.#base.objects.count(resource) === 0) return table;
    const own = new SortedMap<Entry>();
    for (const [key, entry] of this.#base.objects.entries(resource, this.#base.birth)) own.set(key, entry);
    this.#committed.set(resource, own);
    return own;
  }

  #table(resource: string): SortedMap<Entry> {
    this.#written.add(resource);
    let table = this.#find(resource);
    if (!table) this.#committed.set(resource, (table = new SortedMap()));
    return table;
  }

  /** Moves the history window forward and lets the journal forget what fell out of it. */
  compact(): void {
    this.history.compact(this.#committedRevision);
    if (!this.#inFlight) this.#flush();
  }

  /** Waits for writes under way, then closes the journal. Later writes are refused. */
  async close(): Promise<void> {
    this.#failure = new Error('store is closed');
    if (this.#inFlight) await new Promise<void>(resolve => this.#idle.push(resolve));
    await this.#journal.close();
  }
}

const eventTypes = { create: 'ADDED', update: 'MODIFIED', delete: 'DELETED' } as const;
const headKey = (key: ObjectKey) => `${key.resource}\0${key.namespace}\0${key.name}`;
