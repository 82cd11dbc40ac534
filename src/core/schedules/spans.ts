export interface Span {
  readonly startMs: number;
  /** Infinite when it does not end. */
  readonly endMs: number;
}

/** Stretches of time, such as windows and freezes. */
export interface Spans {
  /** The one that a moment is in. Its end is no longer in it. */
  at(ms: number): Span | undefined;
  /** When the next one begins. */
  nextStart(afterMs: number): number | undefined;
}

const maxJoined = 1000;

/** Stretches of one length. Those that touch are one. */
export function spansOf(nextStart: (afterMs: number) => number | undefined, lengthMs: number): Spans {
  return {
    nextStart,
    at(ms) {
      const startMs = nextStart(ms - lengthMs);
      if (startMs === undefined || startMs > ms) return undefined;
      let last = startMs;
      for (let joined = 0; joined < maxJoined; joined++) {
        const next = nextStart(last);
        if (next === undefined || next > last + lengthMs) return { startMs, endMs: last + lengthMs };
        last = next;
      }
      return { startMs, endMs: last + lengthMs };
    },
  };
}

/** A single stretch. */
export function oneSpan({ startMs, endMs }: Span): Spans {
  return {
    at: ms => (ms >= startMs && ms < endMs ? { startMs, endMs } : undefined),
    nextStart: afterMs => (afterMs < startMs ? startMs : undefined),
  };
}
