import type { KubeObject } from '../../../api/object.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, type Key } from '../../../runtime/key.ts';

/** What changes mostly changes several times. */
const restMs = 1_000;
const sliceSize = 20;
const pauseMs = 5;

/** Prints objects after they have changed, a few at a time, so that the first who asks for thousands does not wait until all are printed. */
export function printAhead<T extends KubeObject>(source: Pick<Informer<T>, 'get' | 'subscribe'>, print: (obj: T) => void): Disposable {
  const waiting = new Set<Key>();
  let timer: NodeJS.Timeout | undefined;
  const subscription = source.subscribe(({ type, object }) => {
    if (type === 'DELETED') return;
    waiting.add(keyOf(object));
    timer ??= later(restMs);
  });
  return {
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      clearTimeout(timer);
    },
  };

  function later(ms: number): NodeJS.Timeout {
    return setTimeout(printSome, ms).unref();
  }

  function printSome(): void {
    for (const key of waiting.keys().take(sliceSize)) {
      waiting.delete(key);
      const obj = source.get(key);
      try {
        if (obj) print(obj);
      } catch {
        // Whoever asks for it hears why; nobody above a timer would.
      }
    }
    timer = waiting.size > 0 ? later(pauseMs) : undefined;
  }
}
