import { longestTimerMs } from '../util/timer-limits.ts';

/** What a reconcile asks for when it ends well: nothing more, or another look once some time has passed. */
export type Outcome = void | { readonly requeueAfterMs: number };

export interface WorkQueueOptions {
  /** Brings one key to where it should be. Throwing means: again, after a growing delay. */
  reconcile(key: string, signal: AbortSignal): Outcome | Promise<Outcome>;
  /** How many keys may be worked on at once. Default 1. */
  concurrency?: number;
  /** Default 5 ms, doubled with every failure of the same key. */
  firstDelayMs?: number;
  /** Default 5 minutes. */
  maxDelayMs?: number;
  /** Stops the queue. */
  signal?: AbortSignal;
  /** Hears every failure before the key is put back. */
  onError?(key: string, error: unknown, failures: number): void;
}

/**
 * A queue of keys. A key waits at most once however often it is added, is never worked on twice at the same time, and is looked at
 * once more when it was added while being worked on. Disposing or aborting forgets everything that waits.
 */
export interface WorkQueue extends Disposable {
  add(key: string): void;
  /** Adds the key once the delay has passed; the earliest of several wins. */
  addAfter(key: string, delayMs: number): void;
  /** Keys waiting, delayed ones not counted. */
  readonly depth: number;
  /** How long the key has waited that has waited longest; 0 when none waits. */
  readonly oldestWaitMs: number;
  /** How long each key that is being worked on has been so. */
  readonly runningMs: readonly number[];
  /** Resolves when nothing waits, runs or is delayed by a failure; delays asked for by `addAfter` or an outcome do not count. */
  idle(): Promise<void>;
}

interface Delayed {
  timer: NodeJS.Timeout;
  dueAt: number;
  isRetry: boolean;
}

export function workQueue(options: WorkQueueOptions): WorkQueue {
  const { reconcile, onError, concurrency = 1, firstDelayMs = 5, maxDelayMs = 300_000 } = options;
  // Since when each waits. Maps keep the order in which keys came.
  const waiting = new Map<string, number>();
  const running = new Map<string, number>();
  const dirty = new Map<string, number>();
  const delayed = new Map<string, Delayed>();
  const failures = new Map<string, number>();
  const stopped = new AbortController();
  let idlers: (() => void)[] = [];
  let isPumpScheduled = false;

  if (options.signal?.aborted) stop();
  else options.signal?.addEventListener('abort', stop, { once: true });

  return {
    add,
    addAfter: (key, delayMs) => delay(key, delayMs, false),
    get depth() {
      return waiting.size + dirty.size;
    },
    get oldestWaitMs() {
      const since = Math.min(firstOf(waiting), firstOf(dirty));
      return since === Infinity ? 0 : performance.now() - since;
    },
    get runningMs() {
      return [...running.values()].map(since => performance.now() - since);
    },
    idle: () => (isIdle() ? Promise.resolve() : new Promise(resolve => idlers.push(resolve))),
    [Symbol.dispose]: stop,
  };

  function add(key: string): void {
    if (stopped.signal.aborted) return;
    forgetDelay(key);
    const present = running.has(key) ? dirty : waiting;
    if (!present.has(key)) present.set(key, performance.now());
    if (present === dirty) return;
    schedulePump();
  }

  function delay(key: string, wantedMs: number, isRetry: boolean): void {
    if (stopped.signal.aborted) return;
    // A time that cannot be read must not become a look every millisecond.
    const delayMs = Number.isNaN(wantedMs) ? maxDelayMs : wantedMs;
    const dueAt = Date.now() + delayMs;
    const present = delayed.get(key);
    if (present && present.dueAt <= dueAt) return;
    forgetDelay(key);
    const timer = setTimeout(() => add(key), Math.min(Math.max(delayMs, 0), longestTimerMs));
    delayed.set(key, { timer, dueAt, isRetry });
  }

  function forgetDelay(key: string): void {
    const present = delayed.get(key);
    if (!present) return;
    clearTimeout(present.timer);
    delayed.delete(key);
  }

  // Work starts in a later turn: adders are often listeners of the store, which must stay quick.
  function schedulePump(): void {
    if (isPumpScheduled) return;
    isPumpScheduled = true;
    setImmediate(() => {
      isPumpScheduled = false;
      pump();
    });
  }

  function pump(): void {
    for (const key of waiting.keys()) {
      if (running.size >= concurrency) return;
      waiting.delete(key);
      running.set(key, performance.now());
      void run(key);
    }
  }

  async function run(key: string): Promise<void> {
    try {
      const outcome = await reconcile(key, stopped.signal);
      failures.delete(key);
      if (outcome) delay(key, outcome.requeueAfterMs, false);
    } catch (error) {
      fail(key, error);
    }
    running.delete(key);
    if (dirty.delete(key)) add(key);
    if (waiting.size > 0) schedulePump();
    if (isIdle()) wakeIdlers();
  }

  function fail(key: string, error: unknown): void {
    if (stopped.signal.aborted) return;
    const count = (failures.get(key) ?? 0) + 1;
    failures.set(key, count);
    onError?.(key, error, count);
    delay(key, Math.min(firstDelayMs * 2 ** (count - 1), maxDelayMs), true);
  }

  function isIdle(): boolean {
    if (waiting.size > 0 || running.size > 0) return false;
    for (const { isRetry } of delayed.values()) if (isRetry) return false;
    return true;
  }

  function wakeIdlers(): void {
    const woken = idlers;
    idlers = [];
    for (const wake of woken) wake();
  }

  function stop(): void {
    stopped.abort();
    options.signal?.removeEventListener('abort', stop);
    for (const { timer } of delayed.values()) clearTimeout(timer);
    delayed.clear();
    waiting.clear();
    dirty.clear();
    if (isIdle()) wakeIdlers();
  }
}

function firstOf(times: ReadonlyMap<string, number>): number {
  for (const time of times.values()) return time;
  return Infinity;
}
