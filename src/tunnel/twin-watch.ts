const memoryMs = 600_000;
/** One that is about to end may still ask for so long. */
const farewellMs = 60_000;

/**
 * Notices agents that take the tunnel of one cluster from each other: one that was replaced and takes it back has a twin. A new pod that replaces
 * an old one is none, and neither is a process that reconnects.
 */
export class TwinWatch {
  readonly #replacedAt = new Map<string, number>();
  #seenAt = -Infinity;

  /** `replaced` is the agent that had the tunnel until now, if any. */
  connected(instance: string, replaced: string | undefined, now: number): void {
    for (const [old, at] of this.#replacedAt) if (now - at > memoryMs) this.#replacedAt.delete(old);
    if (this.#replacedAt.delete(instance) && replaced !== undefined) this.#seenAt = now;
    if (replaced !== undefined && replaced !== instance) this.#replacedAt.set(replaced, now);
  }

  /** One that was replaced asks whether the tunnel is free. */
  asked(instance: string, now: number): void {
    const replacedAt = this.#replacedAt.get(instance);
    if (replacedAt !== undefined && now - replacedAt > farewellMs) this.#seenAt = now;
  }

  /** Whether there have been twins lately. */
  hasTwin(now: number): boolean {
    return now - this.#seenAt < memoryMs;
  }
}
