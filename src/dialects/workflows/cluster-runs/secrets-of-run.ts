import { LRUCache } from 'lru-cache';
import type { RunInputs } from '../inputs/run-inputs.ts';
import { hideSecrets, type Hide } from '../logs/hide-secrets.ts';
import type { RunLogs } from '../logs/run-logs.ts';
import type { StepContext } from './step-context.ts';

export interface RunSecrets {
  readonly values: ReadonlyMap<string, string>;
  /** Puts stars where a secret stands. */
  readonly hide: Hide;
}

const keptMs = 60_000;

/** The secrets of runs, read once for many clusters; logs never show them. */
export function secretsOfRuns(inputs: Pick<RunInputs, 'readSecrets'>, logs: Pick<RunLogs, 'hide'>) {
  const known = new LRUCache<string, RunSecrets>({ max: 1000, ttl: keptMs });
  return async ({ run, snapshot }: StepContext, signal: AbortSignal): Promise<RunSecrets> => {
    const present = known.get(run.uid);
    if (present) return present;
    const values = await inputs.readSecrets(run.namespace, snapshot, signal);
    const fresh = { values, hide: hideSecrets(values.values()) };
    logs.hide(run.uid, values.values());
    known.set(run.uid, fresh);
    return fresh;
  };
}
