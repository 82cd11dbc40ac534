/** What is to be done within some time, all told. */
export interface TimeLimit {
  /** Throws OutOfTime, which says how far it was, when the time is over before the promise is settled. */
  wait<T>(promise: Promise<T>, howFar: () => string): Promise<T>;
}

export class OutOfTime extends Error {
  override name = 'OutOfTime';
}

export function timeLimit(limitMs: number): TimeLimit {
  const endsAtMs = performance.now() + limitMs;
  return {
    async wait(promise, howFar) {
      const over = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => over.reject(new OutOfTime(`not done within ${Math.round(limitMs / 60_000)} min: ${howFar()}`)),
        Math.max(0, endsAtMs - performance.now()),
      );
      try {
        return await Promise.race([promise, over.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
