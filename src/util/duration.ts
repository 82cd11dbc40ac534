const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Whether it is a length of time as most fields of the API take it: `10m`, `1h30m`, `1.5s`. */
export const isDuration = (text: string | undefined): text is string => text !== undefined && /^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(text);

/** What Go can hold, and far more than anybody waits: with more, times would be none that can be written down. */
const longestMs = 2 ** 63 / 1_000_000;

/** Milliseconds of `90s`, `1h30m`, also of days and weeks. Nothing, and what cannot be read, is no time at all: whoever minds looks first. */
export function durationMs(text: string | undefined): number {
  let total = 0;
  for (const [, amount, unit] of (text ?? '').matchAll(/([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d|w)/g)) total += Number(amount) * unitMs[unit!]!;
  return Math.min(total, longestMs);
}
