import type { Trigger } from '../kinds/trigger.ts';
import { seenOf, type TriggerDecision } from './trigger-decision.ts';

/** What a look at the sources of a service found. */
export interface ManifestLook {
  /** Changes with whatever is deployed. */
  readonly revision: string;
  /** For people: a commit or a version. */
  readonly version: string;
  /** Why the last look found nothing: the rest is of the one before. */
  readonly problem?: string;
}

/** A start for manifests that are not those of the last look. What is there at the first look is not new. */
export function decideManifest({ spec, status }: Pick<Trigger, 'spec' | 'status'>, look: ManifestLook | undefined): TriggerDecision {
  const { service, tagFilter } = spec.condition;
  const about = `NewManifest ${JSON.stringify([service, tagFilter ?? null])}`;
  const seen = seenOf<{ about: string; revision: string; round?: number }>(status?.seen, about);
  if (!look) return { starts: [], seen: seen ?? {} };
  const { problem } = look;
  if (look.revision === '' || problem !== undefined)
    return { starts: [], seen: seen ?? {}, ...(problem !== undefined && { message: problem }) };
  const { round = 0 } = seen ?? {};
  const { revision } = look;
  if (!seen || seen.revision === revision) return { starts: [], seen: { about, revision, round } };
  // A branch can be put back to where it was, which is new again.
  const occasion = `manifest ${service} ${revision}${round === 0 ? '' : ` ${round}`}`;
  const next = { about, revision, round: round + 1 };
  return { starts: [{ occasion, payload: { manifest: { version: look.version } } }], seen: next };
}
