import type { EventContent, EventSubject } from '../../apiserver/controllers/record-event.ts';

/** What to do with one more event: write it, count it on one that was written, or keep silent. */
export type Correlation =
  | { readonly action: 'create'; readonly key: string; readonly message: string }
  | { readonly action: 'count'; readonly key: string; readonly message: string; readonly name: string; readonly count: number }
  | { readonly action: 'drop' };

const similarMessages = 10;
const similarWithinMs = 10 * 60_000;
const burst = 25;
const refillMs = 5 * 60_000;
const rememberedKeys = 512;

/**
 * Folds events together as Kubernetes' own recorders do: the same event again is counted; many that differ in their message alone become
 * one; and nobody says more than a burst about one object. Holds a bounded number of keys.
 */
export class EventCorrelator {
  readonly #seen = new BoundedMap<{ name: string; count: number }>();
  readonly #similar = new BoundedMap<{ messages: Set<string>; at: number }>();
  readonly #budgets = new BoundedMap<{ tokens: number; at: number }>();

  correlate(subject: EventSubject, content: EventContent, nowMs: number): Correlation {
    const { kind, namespace, name, uid, apiVersion } = subject;
    const source = [content.component, kind, namespace, name, uid, apiVersion].join('\0');
    const group = [source, content.type, content.reason].join('\0');
    const isFolded = this.#isOneOfMany(group, content.message, nowMs);
    const key = isFolded ? group : `${group}\0${content.message}`;
    const message = isFolded ? `(combined from similar events): ${content.message}` : content.message;

    const seen = this.#seen.get(key);
    const count = (seen?.count ?? 0) + 1;
    if (seen) this.#seen.set(key, { ...seen, count });
    if (!this.#spend(source, nowMs)) return { action: 'drop' };
    return seen ? { action: 'count', key, message, name: seen.name, count } : { action: 'create', key, message };
  }

  /** The event was written under this name: the next like it is counted there. */
  written(key: string, name: string): void {
    this.#seen.set(key, { name, count: this.#seen.get(key)?.count ?? 1 });
  }

  /** The event is gone: the next like it is written anew. */
  forget(key: string): void {
    this.#seen.delete(key);
  }

  #isOneOfMany(group: string, message: string, nowMs: number): boolean {
    const last = this.#similar.get(group);
    const messages = last && nowMs - last.at <= similarWithinMs ? last.messages : new Set<string>();
    messages.add(message);
    this.#similar.set(group, { messages, at: nowMs });
    if (messages.size < similarMessages) return false;
    for (const one of messages) {
      messages.delete(one);
      break;
    }
    return true;
  }

  #spend(source: string, nowMs: number): boolean {
    const last = this.#budgets.get(source) ?? { tokens: burst, at: nowMs };
    const tokens = Math.min(burst, last.tokens + (nowMs - last.at) / refillMs);
    const isAllowed = tokens >= 1;
    this.#budgets.set(source, { tokens: isAllowed ? tokens - 1 : tokens, at: nowMs });
    return isAllowed;
  }
}

/** Forgets what was not written for longest. */
class BoundedMap<V> {
  readonly #entries = new Map<string, V>();

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= rememberedKeys) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
