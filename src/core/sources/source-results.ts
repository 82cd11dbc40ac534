import { LRUCache } from 'lru-cache';
import type { RetryPolicy } from '../../runtime/retry-delay.ts';
import { SingleFlight } from '../../sources/single-flight.ts';
import { SourceError } from '../../sources/source-error.ts';
import { bounded } from '../../util/map-bounded.ts';

/** How the last attempt at a source ended. */
export type SourceResult = { readonly digest: string } | { readonly error: SourceError; readonly failures: number; readonly nextTry: Date };

export interface SourceResultsOptions {
  readonly firstDelayMs?: number;
  readonly maxDelayMs?: number;
  /** How many sources are fetched at once. */
  readonly concurrency?: number;
  readonly now?: () => Date;
}

type Fetch = (signal: AbortSignal) => Promise<string>;

/** Many Works that come together mean the same bytes, also where a range of versions could by now mean others. */
const keptMs = 60_000;

/** Fetches each source once for all who want it, and leaves one that failed alone for a while that grows. */
export class SourceResults {
  readonly #flights = new SingleFlight<SourceResult>();
  readonly #fetched = new LRUCache<string, string>({ max: 1000, ttl: keptMs });
  readonly #failed = new LRUCache<string, Extract<SourceResult, { error: SourceError }>>({ max: 10_000 });
  readonly #run: ReturnType<typeof bounded>;
  readonly #options: Required<SourceResultsOptions>;

  constructor({ firstDelayMs = 5_000, maxDelayMs = 300_000, concurrency = 4, now = () => new Date() }: SourceResultsOptions = {}) {
    this.#options = { firstDelayMs, maxDelayMs, concurrency, now };
    this.#run = bounded(concurrency);
  }

  /** Faults that are not the source's are thrown. `retry`: for sources that cost little to ask. */
  async get(key: string, signal: AbortSignal, fetch: Fetch, retry: RetryPolicy = this.#options): Promise<SourceResult> {
    const digest = this.#fetched.get(key);
    if (digest !== undefined) return { digest };
    const failed = this.#failed.get(key);
    if (failed && failed.nextTry > this.#options.now()) return failed;
    return this.#flights.run(key, signal, stop => this.#run(() => this.#fetch(key, stop, fetch, retry)));
  }

  /** The bytes have gone from the hub. */
  forget(key: string): void {
    this.#fetched.delete(key);
  }

  /** Somebody wants it looked at now, however it went before. */
  lookAgain(key: string): void {
    this.#fetched.delete(key);
    this.#failed.delete(key);
  }

  async #fetch(key: string, signal: AbortSignal, fetch: Fetch, { firstDelayMs, maxDelayMs }: RetryPolicy): Promise<SourceResult> {
    try {
      const digest = await fetch(signal);
      this.#fetched.set(key, digest);
      this.#failed.delete(key);
      return { digest };
    } catch (error) {
      if (signal.aborted || !(error instanceof SourceError)) throw error;
      const failures = (this.#failed.get(key)?.failures ?? 0) + 1;
      const delayMs = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
      const result = { error, failures, nextTry: new Date(this.#options.now().getTime() + delayMs) };
      this.#failed.set(key, result);
      return result;
    }
  }
}
