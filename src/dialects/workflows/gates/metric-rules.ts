import type { MetricRules, Tally } from '../../../core/gates/judge-metric.ts';
import { noTally } from '../../../core/gates/judge-metric.ts';
import { durationMs } from '../../../util/duration.ts';
import type { Json } from '../../../util/json.ts';
import type { Metric } from '../kinds/gate.ts';

const defaultIntervalMs = 10_000;

export const rulesOf = (metric: Metric): MetricRules => ({
  count: metric.count ?? 1,
  failureLimit: metric.failureLimit ?? 0,
  inconclusiveLimit: metric.inconclusiveLimit ?? 0,
  consecutiveErrorLimit: metric.consecutiveErrorLimit ?? 4,
  intervalMs: durationMs(metric.interval) || defaultIntervalMs,
  initialDelayMs: durationMs(metric.initialDelay),
});

/** A run of a thousand clusters keeps one of these for each: numbers only. */
export const packTally = (tally: Tally): number[] => [
  tally.successful,
  tally.failed,
  tally.inconclusive,
  tally.error,
  tally.errorsInRow,
  tally.lastMs,
];

export function unpackTally(packed: Json | undefined): Tally {
  if (!Array.isArray(packed) || packed.length !== 6) return noTally;
  const [successful, failed, inconclusive, error, errorsInRow, lastMs] = packed.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { successful, failed, inconclusive, error, errorsInRow, lastMs };
}
