import type { JsonObject } from '../../../util/json.ts';
import { durationMs } from '../../../util/duration.ts';
import type { Trigger } from '../kinds/trigger.ts';
import type { ArtifactChoice } from '../kinds/workflow-run.ts';

/** One thing that happened and that starts a run. */
export interface Start {
  /** The same for the same happening, however often it is seen: what it started is found by it. */
  readonly occasion: string;
  /** What expressions of the action may name. */
  readonly payload: JsonObject;
  /** Values that were given with it. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Versions that were given with it. */
  readonly artifacts?: readonly ArtifactChoice[];
  /** None but these clusters. */
  readonly clusters?: readonly string[];
  readonly infrastructure?: string;
  /** A person, where one is known. */
  readonly by?: string;
  /** Those of the person. */
  readonly groups?: readonly string[];
}

/** What a look at a trigger came to. */
export interface TriggerDecision {
  readonly starts: readonly Start[];
  /** What counts as seen afterwards. */
  readonly seen: JsonObject;
  readonly nextFire?: Date;
  readonly wakeAt?: Date;
  readonly message?: string;
}

/** What was seen already, unless it was about something else: a trigger that was changed begins anew. */
export function seenOf<T extends JsonObject>(seen: JsonObject | undefined, about: string): T | undefined {
  return seen?.['about'] === about ? (seen as T) : undefined;
}

/** When the least time since the last start is over; undefined when it is. A start that lies ahead was written before the clock was put back. */
export function restsUntil({ spec, status }: Pick<Trigger, 'spec' | 'status'>, now: Date): Date | undefined {
  const firedMs = Date.parse(status?.lastFired ?? '');
  const readyMs = firedMs + durationMs(spec.minInterval);
  return spec.minInterval !== undefined && firedMs <= now.getTime() && readyMs > now.getTime() ? new Date(readyMs) : undefined;
}
