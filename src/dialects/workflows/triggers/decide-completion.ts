import type { PipelineRun } from '../kinds/pipeline.ts';
import type { Trigger } from '../kinds/trigger.ts';
import { seenOf, type TriggerDecision } from './trigger-decision.ts';

/** Ends are written by several hands: one may come to be known after a later one. */
const lagMs = 3_600_000;
const minuteMs = 60_000;

/** A start for every run of the pipeline that succeeded since the trigger is there. */
export function decideCompletion(
  { metadata, spec, status }: Pick<Trigger, 'metadata' | 'spec' | 'status'>,
  runs: readonly PipelineRun[],
  now: Date,
): TriggerDecision {
  const { pipeline } = spec.condition;
  const about = `PipelineCompletion ${pipeline}`;
  const seen = seenOf<{ about: string; since: string; uids: string[] }>(status?.seen, about);
  const noted = seen?.since ?? (status?.seen ? now.toISOString() : (metadata.creationTimestamp ?? now.toISOString()));
  const known = new Set(seen?.uids);
  // What lies ahead was written before the clock was put back. What was started already is found by its name.
  const backMs = known.size > 0 ? lagMs : minuteMs;
  const since = Date.parse(noted) > now.getTime() ? new Date(now.getTime() - backMs).toISOString() : noted;
  const endOf = (run: PipelineRun) => Date.parse(run.status?.finishedAt ?? '');
  const sinceMs = Date.parse(since);
  const ended = runs.filter(run => run.spec.pipelineRef.name === pipeline && run.status?.phase === 'Succeeded' && endOf(run) >= sinceMs);
  const fresh = ended.filter(run => !known.has(run.metadata.uid!)).toSorted((a, b) => endOf(a) - endOf(b));
  const newSinceMs = Math.max(sinceMs, Math.max(sinceMs, ...ended.map(endOf)) - lagMs);
  return {
    starts: fresh.map(run => ({
      occasion: `pipeline ${run.metadata.uid}`,
      payload: { pipeline: { name: pipeline ?? '', run: run.metadata.name ?? '' }, context: contextOf(run) },
      ...(run.spec.artifacts && { artifacts: run.spec.artifacts }),
    })),
    seen: {
      about,
      since: new Date(newSinceMs).toISOString(),
      uids: ended.filter(run => endOf(run) >= newSinceMs).map(run => run.metadata.uid!),
    },
  };
}

function contextOf(run: PipelineRun) {
  const { context } = (run.status?.engine ?? {}) as { context?: Record<string, never> };
  return context ?? {};
}
