/** Timers that are to wait longer do not wait at all. */
export const longestTimerMs = 2 ** 31 - 1;

/** Aborted after so long, whatever people call long: with parts of a millisecond, and with years. */
export const deadlineIn = (ms: number): AbortSignal => AbortSignal.timeout(Math.ceil(Math.min(Math.max(ms, 0), longestTimerMs)));
