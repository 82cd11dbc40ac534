import { Deque } from '../util/deque.ts';
import type { Entry } from './entry.ts';

/** A committed change. For deletions `entry` holds the last state under the deletion's revision. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}

/** How long clients may rely on old revisions, and how much memory that may cost. */
const windowMs = 5 * 60_000;
const maxEvents = 100_000;
const maxSupersededBytes = 64 * 1024 * 1024;

interface Mark {
  atMs: number;
  revision: number;
}

/**
 * The recent past: what watches resume from and what paged lists look back to. Bounded by age, count and bytes; what falls out is
 * reported to the journal, so that the file forgets it too. A resource in which nothing fell out can be resumed from any revision.
 */
export class History {
  readonly #now: () => number;
  readonly #byResource = new Map<string, { events: Deque<StoreEvent>; evictedRevision: number }>();
  readonly #queue = new Deque<StoreEvent>();
  #supersededBytes = 0;
  readonly #marks: Mark[] = [];
  #obsolete: number[] = [];
  #restoredRevision = 0;
  /** Lists at exactly this revision or before it are no longer possible. */
  compactedRevision = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  restore(events: readonly StoreEvent[], compactedRevision: number): void {
    this.compactedRevision = this.#restoredRevision = compactedRevision;
    for (const event of events) {
      if (event.entry.revision > compactedRevision) this.push(event);
      else this.#forget(event);
    }
  }

  push(event: StoreEvent): void {
    this.#of(event.entry.resource).events.push(event);
    this.#queue.push(event);
    this.#supersededBytes += event.previous?.sizeBytes ?? 0;
    while (this.#queue.length > maxEvents || this.#supersededBytes > maxSupersededBytes) this.#evictOldest();
  }

  /** Events of a resource after a revision, or undefined when some of them are gone. */
  since(resource: string, revision: number): StoreEvent[] | undefined {
    const { events, evictedRevision } = this.#of(resource);
    if (revision < evictedRevision) return undefined;
    return events.from(firstAfter(events, revision));
  }

  /** The oldest revision a watch of this resource can start from. */
  oldest(resource: string): number {
    return this.#of(resource).evictedRevision;
  }

  /**
   * What differs between now and an older revision: for each key changed since, the entry as it was (undefined: absent).
   * Undefined when that revision is too old.
   */
  stateAt(resource: string, revision: number, keyOf: (entry: Entry) => string): Map<string, Entry | undefined> | undefined {
    if (revision < this.compactedRevision) return undefined;
    const events = this.since(resource, revision);
    if (!events) return undefined;
    const then = new Map<string, Entry | undefined>();
    for (const { entry, previous } of events) if (!then.has(keyOf(entry))) then.set(keyOf(entry), previous);
    return then;
  }

  /** Remembers which revision is current now, and drops what is older than the window. */
  compact(currentRevision: number): void {
    const nowMs = this.#now();
    this.#marks.push({ atMs: nowMs, revision: currentRevision });
    while (this.#marks.length > 1 && this.#marks[1]!.atMs <= nowMs - windowMs) this.#marks.shift();
    const mark = this.#marks[0]!;
    if (mark.atMs > nowMs - windowMs) return;
    this.compactTo(mark.revision);
  }

  compactTo(revision: number): void {
    if (revision <= this.compactedRevision) return;
    while (this.#queue.length > 0 && this.#queue.at(0)!.entry.revision <= revision) this.#evictOldest();
    this.compactedRevision = revision;
  }

  /** Whether there is nothing left that could be forgotten. */
  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.#obsolete.length === 0;
  }

  takeObsolete(): number[] {
    const taken = this.#obsolete;
    this.#obsolete = [];
    return taken;
  }

  giveBackObsolete(revisions: readonly number[]): void {
    this.#obsolete = [...revisions, ...this.#obsolete];
  }

  #evictOldest(): void {
    const event = this.#queue.shift()!;
    const history = this.#of(event.entry.resource);
    history.events.shift();
    history.evictedRevision = event.entry.revision;
    this.compactedRevision = Math.max(this.compactedRevision, event.entry.revision);
    this.#supersededBytes -= event.previous?.sizeBytes ?? 0;
    this.#forget(event);
  }

  /** Nobody can ask any more for the state before this event; a deletion leaves nothing to remember at all. */
  #forget(event: StoreEvent): void {
    if (event.previous) this.#obsolete.push(event.previous.revision);
    if (event.type === 'DELETED') this.#obsolete.push(event.entry.revision);
  }

  #of(resource: string) {
    let history = this.#byResource.get(resource);
    if (!history) this.#byResource.set(resource, (history = { events: new Deque(), evictedRevision: this.#restoredRevision }));
    return history;
  }
}

function firstAfter(events: Deque<StoreEvent>, revision: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events.at(middle)!.entry.revision <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
