import { LRUCache } from 'lru-cache';
import { log } from '../../../runtime/log.ts';
import { bounded } from '../../../util/map-bounded.ts';

export interface Probes {
  /**
   * What a probe found, or why it found nothing; undefined while it runs. Each number is asked once, however often somebody wants to know: whoever writes down
   * what came of it may fail and come again.
   */
  ask<T extends object>(key: string, number: number, probe: (signal: AbortSignal) => Promise<T>, onDone: () => void): T | Error | undefined;
}

interface Kept {
  readonly number: number;
  result?: object;
}

const maxKept = 20_000;
const maxAtOnce = 16;

/** Asks in the background, a few at a time. */
export function probes(stop: AbortSignal): Probes {
  const kept = new LRUCache<string, Kept>({ max: maxKept });
  const inTurn = bounded(maxAtOnce);
  return {
    ask<T extends object>(key: string, number: number, probe: (signal: AbortSignal) => Promise<T>, onDone: () => void) {
      const known = kept.get(key);
      if (known?.number === number) return known.result as T | Error | undefined;
      const entry: Kept = { number };
      kept.set(key, entry);
      inTurn(async () => {
        stop.throwIfAborted();
        entry.result = await probe(stop);
      })
        .catch((error: unknown) => {
          entry.result = error instanceof Error ? error : new Error(String(error));
        })
        .then(() => {
          if (!stop.aborted) onDone();
        })
        .catch((err: unknown) => log.warn('a gate was not looked at again', { err }));
      return undefined;
    },
  };
}
