import type { GatePhase } from './gate-phase.ts';

/** What one measurement says. `Error`: it did not come about. */
export type Measured = 'Successful' | 'Failed' | 'Inconclusive' | 'Error';

export interface MetricRules {
  /** How many measurements; those that did not come about are made again. */
  readonly count: number;
  /** How many may be bad. */
  readonly failureLimit: number;
  readonly inconclusiveLimit: number;
  readonly consecutiveErrorLimit: number;
  readonly intervalMs: number;
  readonly initialDelayMs: number;
}

/** The measurements of a metric so far. */
export interface Tally {
  readonly successful: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly error: number;
  readonly errorsInRow: number;
  /** When the last one was made. */
  readonly lastMs: number;
}

export const noTally: Tally = { successful: 0, failed: 0, inconclusive: 0, error: 0, errorsInRow: 0, lastMs: 0 };

const fieldOf = { Successful: 'successful', Failed: 'failed', Inconclusive: 'inconclusive', Error: 'error' } as const;

export function counted(tally: Tally, measured: Measured, lastMs: number): Tally {
  const field = fieldOf[measured];
  return { ...tally, [field]: tally[field] + 1, errorsInRow: measured === 'Error' ? tally.errorsInRow + 1 : 0, lastMs };
}

export const measurementsOf = ({ successful, failed, inconclusive, error }: Tally): number => successful + failed + inconclusive + error;

export function judgeTally(tally: Tally, rules: MetricRules): GatePhase {
  if (tally.failed > rules.failureLimit) return 'Failed';
  if (tally.errorsInRow > rules.consecutiveErrorLimit) return 'Error';
  if (tally.inconclusive > rules.inconclusiveLimit) return 'Inconclusive';
  if (measurementsOf(tally) - tally.error >= rules.count) return 'Successful';
  return 'Running';
}

const errorRetryMs = 10_000;

/** When the next measurement is due. At once when the clock was set back behind the last one: nobody knows how long ago that was. */
export function nextMeasureMs(tally: Tally, rules: MetricRules, { startedMs, nowMs }: { startedMs: number; nowMs: number }): number {
  if (measurementsOf(tally) === 0) return startedMs + rules.initialDelayMs;
  if (nowMs < tally.lastMs) return nowMs;
  return tally.lastMs + (tally.errorsInRow > 0 ? Math.min(errorRetryMs, rules.intervalMs) : rules.intervalMs);
}

/** What a measurement says, from what its conditions say of the result. A condition that is absent is undefined. */
export function measuredBy(isSuccess: boolean | undefined, isFailure: boolean | undefined): Measured {
  if (isFailure === true) return 'Failed';
  if (isSuccess === undefined || isSuccess) return 'Successful';
  return isFailure === undefined ? 'Failed' : 'Inconclusive';
}

const severity: readonly GatePhase[] = ['Failed', 'Error', 'Inconclusive'];

/** What several judgements say together: the worst that is decided, or else whether any is still open. */
export function worstPhase(phases: readonly GatePhase[]): GatePhase {
  const worst = severity.find(phase => phases.includes(phase));
  return worst ?? (phases.every(phase => phase === 'Successful') ? 'Successful' : 'Running');
}
