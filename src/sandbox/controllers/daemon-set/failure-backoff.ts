const firstDelayMs = 1000;
const maxDelayMs = 15 * 60_000;

/** How long to wait before something that failed is tried again: twice as long each time, and from the start after a long quiet. */
export class FailureBackoff {
  readonly #entries = new Map<string, { delayMs: number; at: number }>();

  /** Milliseconds left to wait, 0 when it may be tried now. */
  leftMs(key: string, now: Date): number {
    const entry = this.#entries.get(key);
    if (!entry || now.getTime() - entry.at > 2 * maxDelayMs) return 0;
    return Math.max(0, entry.at + entry.delayMs - now.getTime());
  }

  /** It is tried now. */
  next(key: string, now: Date): void {
    const at = now.getTime();
    for (const [other, entry] of this.#entries) if (at - entry.at > 2 * maxDelayMs) this.#entries.delete(other);
    const last = this.#entries.get(key);
    this.#entries.set(key, { delayMs: last ? Math.min(last.delayMs * 2, maxDelayMs) : firstDelayMs, at });
  }
}
