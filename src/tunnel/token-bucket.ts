/** Allows a burst, and then so many a second. Times are milliseconds of one steady clock. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAt: number;

  constructor({ burst, perSecond }: { burst: number; perSecond: number }, now: number) {
    this.#burst = burst;
    this.#perMs = perSecond / 1000;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  /** What has happened cannot be refused: the bucket may go below zero. */
  spend(now: number): void {
    this.#fill(now);
    this.#tokens -= 1;
  }

  /** How long until a token is there; 0 when one is. */
  waitMs(now: number): number {
    this.#fill(now);
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) / this.#perMs);
  }

  #fill(now: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, now - this.#filledAt) * this.#perMs);
    this.#filledAt = Math.max(now, this.#filledAt);
  }
}
