export interface RetryPolicy {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/**
 * Somewhere between nothing and a bound that doubles with every attempt (0, 1, …). Many who failed at the same moment must not come back
 * at the same moment.
 */
export function retryDelayMs(attempt: number, { firstDelayMs, maxDelayMs }: RetryPolicy, random = Math.random): number {
  return random() * Math.min(firstDelayMs * 2 ** attempt, maxDelayMs);
}
