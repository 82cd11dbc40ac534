import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

const maxPauseMs = 1_000;

/**
 * Reads until the value satisfies `isRight`, and returns it. A throwing read counts as not yet. After the deadline it throws with the last value
 * or the last error. It asks less often the longer it takes: many reads are programs of their own.
 */
export async function eventually<T>(
  read: () => Promise<T> | T,
  isRight: (value: T) => boolean = Boolean,
  { timeoutMs = 10_000, everyMs = 25, what = 'value' } = {},
): Promise<T> {
  const startedAt = Date.now();
  const deadline = startedAt + timeoutMs;
  for (;;) {
    let last: T | undefined;
    let problem: unknown;
    try {
      last = await read();
      if (isRight(last)) return last;
    } catch (err) {
      problem = err;
    }
    if (Date.now() >= deadline) {
      if (problem !== undefined) throw new Error(`${what} was not right within ${timeoutMs} ms`, { cause: problem });
      throw new Error(`${what} was not right within ${timeoutMs} ms; last: ${inspect(last, { depth: 6 })}`);
    }
    await sleep(Math.max(everyMs, Math.min(maxPauseMs, (Date.now() - startedAt) * 0.15)));
  }
}
