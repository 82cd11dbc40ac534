import type { Key } from './key.ts';

export interface ClockJumpsOptions {
  now?(): Date;
  /** Milliseconds of a clock that nobody sets. */
  steadyMs?(): number;
}

/** Clocks are put right little by little all the time; that is no jump. */
const leastMs = 1_000;

/** How far the clock was set forward, or back, since something was first seen here: what had its time before that has it still. */
export function clockJumps({ now = () => new Date(), steadyMs = () => performance.now() }: ClockJumpsOptions = {}) {
  const startMs = now().getTime() - steadyMs();
  const seen = new Map<Key, Map<string, number>>();
  const total = (): number => now().getTime() - steadyMs() - startMs;
  return {
    /** Of something about a key, by a name. */
    sinceMs(key: Key, name: string): number {
      const names = seen.getOrInsertComputed(key, () => new Map<string, number>());
      const jumpMs = total() - names.getOrInsertComputed(name, total);
      return Math.abs(jumpMs) < leastMs ? 0 : jumpMs;
    },
    /** From now on it counts from here. */
    startAnew: (key: Key, name: string): void => void seen.getOrInsertComputed(key, () => new Map<string, number>()).set(name, total()),
    forget: (key: Key): void => void seen.delete(key),
  };
}
