/** How often one object was put right and changed back. Numbers are milliseconds. */
export interface Fight {
  /** Corrections so far, each within reach of the one before. */
  readonly corrections: number;
  readonly lastAtMs: number;
}

export const noFight: Fight = { corrections: 0, lastAtMs: -Infinity };

const firstWaitMs = 1_000;
const maxWaitMs = 5 * 60_000;
/** An object that stayed right for so long, and for twice the last wait, starts afresh. */
const forgiveMs = 60_000;

/** When the next correction may be made. The first is for free; then each waits twice as long as the one before, up to five minutes. */
export function nextCorrectionAt({ corrections, lastAtMs }: Fight): number {
  return corrections === 0 ? lastAtMs : lastAtMs + waitAfter(corrections);
}

export function afterCorrection(fight: Fight, nowMs: number): Fight {
  const { corrections, lastAtMs } = fight;
  const isForgiven = nowMs - lastAtMs > Math.max(forgiveMs, 2 * waitAfter(corrections));
  return { corrections: isForgiven ? 1 : corrections + 1, lastAtMs: nowMs };
}

/** Somebody changes it back: a second correction was needed soon after the first. */
export const isFight = ({ corrections }: Fight): boolean => corrections > 1;

/** Until then a fight is not believed to be over, though the object is right at the moment. */
export const fightHeldUntil = (fight: Fight): number => (isFight(fight) ? nextCorrectionAt(fight) : -Infinity);

function waitAfter(corrections: number): number {
  return corrections === 0 ? 0 : Math.min(firstWaitMs * 2 ** (corrections - 1), maxWaitMs);
}
