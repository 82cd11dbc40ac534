import type { Store } from './store.ts';

const compactEveryMs = 30_000;

/** Lets a store forget its old history. One that does not change costs nothing: thousands of them live in one process. */
export function compactWhileChanging(store: Store, { everyMs = compactEveryMs } = {}): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const subscription = store.subscribe(start);
  if (!store.history.isEmpty) start();

  return {
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      stop();
    },
  };

  function start(): void {
    timer ??= setInterval(compact, everyMs).unref();
  }

  function compact(): void {
    store.compact();
    if (store.history.isEmpty) stop();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }
}
