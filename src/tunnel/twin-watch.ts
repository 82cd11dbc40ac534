const memoryMs = 600_000;
/** One that is about to end may still ask for so long. */
const farewellMs = 60_000;

/**
 * Notices agents that take the tunnel of one cluster from each other: one that was replaced and comes back has a twin. A new pod that replaces
 * an old one is none, and neither is a process that reconnects.
 */
export class TwinWatch {
  readonly #replacedAt = new Map<string, number>();
  #seenAt = -Infinity;

  /** Answers whether there have been twins lately. `replaced` is the agent that had the tunnel until now, if any. */
  connected(instance: string, replaced: string | undefined, now: number): boolean {
    for (const [old, at] of this.#replacedAt) if (now - at > memoryMs) this.#replacedAt.delete(old);
    if (this.#replacedAt.delete(instance)) this.#seenAt = now;
    if (replaced !== undefined && replaced !== instance) this.#replacedAt.set(replaced, now);
    return now - this.#seenAt < memoryMs;
  }

  /** One that was replaced asks whether the tunnel is free. Answers whether that makes it a twin. */
  asked(instance: string, now: number): boolean {
    const replacedAt = this.#replacedAt.get(instance);
    if (replacedAt !== undefined && now - replacedAt > farewellMs) this.#seenAt = now;
    return now - this.#seenAt < memoryMs;
  }
}
