/** Lets at most `limit` pieces of work run at a time; the others wait in the order they came. */
export function bounded(limit: number): <R>(work: () => Promise<R>) => Promise<R> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async work => {
    if (running < limit) running++;
    else await new Promise<void>(resolve => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Whoever waits takes over the place.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Runs `work` on every item, at most `limit` at a time, and answers in the order of the items. The first failure is thrown after all have ended. */
export async function mapBounded<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const run = bounded(limit);
  const outcomes = await Promise.allSettled(items.map(item => run(() => work(item))));
  return outcomes.map(outcome => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
