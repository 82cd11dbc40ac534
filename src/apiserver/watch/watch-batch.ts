import type { StoreEvent } from '../../store/history.ts';
import { isPlain } from '../representation.ts';
import type { Resource } from '../resource.ts';
import { eventHeads, eventTail } from './event-lines.ts';

/** Events that a set of watchers receives together. Those who see them all in their plain form share the bytes. */
export class WatchBatch {
  readonly events: StoreEvent[] = [];
  readonly #plain = new Map<Resource, Buffer | undefined>();

  get firstRevision(): number {
    return this.events[0]!.entry.revision;
  }

  get lastRevision(): number {
    return this.events.at(-1)!.entry.revision;
  }

  /** All lines as plain objects, or undefined when some event cannot be shown as it is stored. */
  plainLines(resource: Resource): Buffer | undefined {
    if (!this.#plain.has(resource)) this.#plain.set(resource, joinPlain(resource, this.events));
    return this.#plain.get(resource);
  }
}

function joinPlain(resource: Resource, events: readonly StoreEvent[]): Buffer | undefined {
  const parts: Buffer[] = [];
  for (const { type, entry } of events) {
    if (!isPlain(resource, entry)) return undefined;
    parts.push(eventHeads[type], entry.bytes, eventTail);
  }
  return Buffer.concat(parts);
}
