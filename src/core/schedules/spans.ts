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

/** More than the days of a year: what goes on for longer is told to end then, and found to go on when that time comes. */
const maxJoined = 400;

/** Stretches of one length. Those that touch are one. Starts take time to find, so the last answers are remembered. */
export function spansOf(findStart: (afterMs: number) => number | undefined, lengthMs: number): Spans {
  let lastStart: { readonly afterMs: number; readonly startMs: number } | undefined;
  let lastSpan: Span | undefined;
  return { nextStart, at };

  function nextStart(afterMs: number): number | undefined {
    if (lastStart && afterMs >= lastStart.afterMs && afterMs < lastStart.startMs) return lastStart.startMs;
    const startMs = findStart(afterMs);
    if (startMs !== undefined) lastStart = { afterMs, startMs };
    return startMs;
  }

  function at(ms: number): Span | undefined {
    if (lastSpan && ms >= lastSpan.startMs && ms < lastSpan.endMs) return lastSpan;
    const startMs = nextStart(ms - lengthMs);
    if (startMs === undefined || startMs > ms) return undefined;
    let last = startMs;
    for (let joined = 0; joined < maxJoined; joined++) {
      const next = findStart(last);
      if (next === undefined || next > last + lengthMs) break;
      last = next;
    }
    return (lastSpan = { startMs, endMs: last + lengthMs });
  }
}

/** A single stretch. */
export function oneSpan({ startMs, endMs }: Span): Spans {
  return {
    at: ms => (ms >= startMs && ms < endMs ? { startMs, endMs } : undefined),
    nextStart: afterMs => (afterMs < startMs ? startMs : undefined),
  };
}
