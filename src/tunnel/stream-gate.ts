import { UnreachableError } from '../client/transport.ts';
import { TokenBucket } from './token-bucket.ts';

interface Waiter {
  enter(): void;
}

export interface StreamGateOptions {
  readonly streams: number;
  readonly resets: { readonly burst: number; readonly perSecond: number };
  readonly queueMs: number;
}

/**
 * Lets requests into a tunnel: so many at once, and none for a while when too many have just been cancelled, since the other side would take
 * that for an attack and end the session for everybody.
 */
export class StreamGate {
  readonly #options: StreamGateOptions;
  readonly #resets: TokenBucket;
  readonly #waiters = new Set<Waiter>();
  #open = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StreamGateOptions) {
    this.#options = options;
    this.#resets = new TokenBucket(options.resets, performance.now());
  }

  /** Undefined when the request may go in at once, which is the rule. */
  enter(signal?: AbortSignal): Promise<void> | undefined {
    if (this.#waiters.size > 0 || !this.#hasRoom()) return this.#wait(signal);
    this.#open++;
    return undefined;
  }

  leave({ wasReset }: { wasReset: boolean }): void {
    this.#open--;
    if (wasReset) this.#resets.spend(performance.now());
    this.#admit();
  }

  #hasRoom(): boolean {
    return this.#open < this.#options.streams && this.#resets.waitMs(performance.now()) === 0;
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = {
      enter: () => {
        stopWaiting();
        this.#open++;
        resolve();
      },
    };
    const stopWaiting = () => {
      clearTimeout(late);
      signal?.removeEventListener('abort', abort);
      this.#waiters.delete(waiter);
    };
    const late = setTimeout(() => {
      stopWaiting();
      reject(new UnreachableError(this.#reason()));
    }, this.#options.queueMs);
    const abort = () => {
      stopWaiting();
      reject(signal?.reason);
    };
    this.#waiters.add(waiter);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    this.#admit();
    return promise;
  }

  #reason(): string {
    return this.#open >= this.#options.streams
      ? `${this.#options.streams} requests are under way through its tunnel already`
      : 'too many requests through its tunnel were cancelled just now';
  }

  #admit(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasRoom()) break;
      waiter.enter();
    }
    if (this.#waiters.size === 0 || this.#timer) return;
    const waitMs = this.#resets.waitMs(performance.now());
    if (waitMs === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#admit();
    }, waitMs);
  }
}
