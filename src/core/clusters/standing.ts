/** How a member answered when it was asked how it is. */
export type Answer =
  | { readonly kind: 'ready' }
  /** It answers, and names what is not ready. */
  | { readonly kind: 'unready'; readonly failing: readonly string[] }
  /** It answers, and does not want the hub. */
  | { readonly kind: 'refused' }
  /** It could not be asked. */
  | { readonly kind: 'silent'; readonly why: string }
  /** The hub has nothing to ask it with. */
  | { readonly kind: 'no-credential'; readonly why: string }
  /** No agent is connected. */
  | { readonly kind: 'no-agent' };

/** One question to a member and its answer. Times are in milliseconds, here and below. */
export interface Probe {
  readonly answer: Answer;
  readonly startedAt: number;
  readonly endedAt: number;
  /** What the member's clock showed, in whole seconds; undefined when it did not say. */
  readonly memberTime?: number | undefined;
}

/** What the hub holds true of a member after all the probes so far. */
export interface Standing {
  readonly answer: Answer;
  /** When the newest probe that counted was started. */
  readonly askedAt: number;
  /** When the member last answered at all. */
  readonly seenAt: number | undefined;
  /** How far the member's clock is ahead of the hub's. */
  readonly clockAheadMs: number | undefined;
  /** Probes that contradict a good standing and are not believed yet. */
  readonly doubt?: { readonly since: number; readonly failures: number };
  /** How many probes in a row were not good. */
  readonly failures: number;
}

/** How long a probe may take. */
export const probeTimeoutMs = 10_000;

/** Healthy members are asked this often at the least. With a time-out, the doubt and one more time-out a loss shows within 40 s. */
const healthyPeriodMs = 10_000;
/** A sandbox lives in the hub itself and is not lost by accident; when it comes, goes or serves something else, that is announced. */
export const sandboxPeriodMs = 300_000;
/** Delays are multiples of this: timers of equal length cost nothing, and there may be thousands. */
const stepMs = 100;

/** A member that was fine is called lost only when it failed twice and for this long: a restart of its server is no loss. */
const doubtMs = 10_000;
const doubtfulPeriodMs = 2_000;

/** Agents and credentials announce themselves when they come. */
const announces = ({ kind }: Answer): boolean => kind === 'no-agent' || kind === 'no-credential';

/** Lost members are asked more often, also while an earlier probe still hangs, so that their return shows within 5 s. */
const firstLostPeriodMs = 500;
const lostPeriodMs = 2_500;

const isAnswered = ({ kind }: Answer): boolean => kind === 'ready' || kind === 'unready' || kind === 'refused';

/** Only what the network hides can be a blip; for what it has neither credential nor agent the hub knows for certain. */
const isCertain = ({ kind }: Answer): boolean => kind === 'ready' || kind === 'no-credential' || kind === 'no-agent';

/** The standing after one more probe. Probes that were overtaken by a newer one do not count. */
export function afterProbe(before: Standing | undefined, probe: Probe): Standing {
  if (before && probe.startedAt < before.askedAt) return before;

  const { answer } = probe;
  const common = {
    askedAt: probe.startedAt,
    seenAt: isAnswered(answer) ? probe.endedAt : before?.seenAt,
    clockAheadMs: probe.memberTime === undefined ? before?.clockAheadMs : clockAhead(probe, probe.memberTime),
    failures: answer.kind === 'ready' ? 0 : (before?.failures ?? 0) + 1,
  };
  if (before?.answer.kind !== 'ready' || isCertain(answer)) return { ...common, answer: settle(before?.answer, answer) };

  const doubt = { since: before.doubt?.since ?? probe.startedAt, failures: (before.doubt?.failures ?? 0) + 1 };
  const isBelieved = doubt.failures > 1 && probe.endedAt - doubt.since >= doubtMs;
  return isBelieved ? { ...common, answer } : { ...common, answer: before.answer, doubt };
}

/** Two words for one silence would write the status again and again, so the first stands. */
function settle(before: Answer | undefined, now: Answer): Answer {
  return before?.kind === 'silent' && now.kind === 'silent' ? before : now;
}

/** The member truncates its time to seconds, so half a second is added to what it showed. */
function clockAhead({ startedAt, endedAt }: Probe, memberTime: number): number {
  return memberTime + 500 - (startedAt + endedAt) / 2;
}

/** How long to wait after an answer before asking again. `random` is in [0, 1); `periodMs` is for members that are fine. */
export function delayBeforeProbe(standing: Standing, random: number, periodMs = healthyPeriodMs): number {
  return Math.floor((periodBeforeProbe(standing, periodMs) * (0.8 + 0.2 * random)) / stepMs) * stepMs;
}

function periodBeforeProbe({ answer, doubt, failures }: Standing, periodMs: number): number {
  if (doubt) return doubtfulPeriodMs;
  if (answer.kind === 'ready' || announces(answer)) return periodMs;
  return Math.min(firstLostPeriodMs * 1.5 ** Math.min(failures, 10), lostPeriodMs);
}

/** How long a probe may hang before the next one is started beside it; undefined when that one waits for its answer. */
export function impatienceMs(standing: Standing | undefined): number | undefined {
  return standing && standing.answer.kind !== 'ready' && !announces(standing.answer) ? lostPeriodMs : undefined;
}
