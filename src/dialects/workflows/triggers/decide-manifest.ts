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
  const seen = seenOf<{ about: string; revision: string }>(status?.seen, about);
  if (!look) return { starts: [], seen: seen ?? {} };
  const { problem } = look;
  if (look.revision === '' || problem !== undefined)
    return { starts: [], seen: seen ?? {}, ...(problem !== undefined && { message: problem }) };
  const next = { about, revision: look.revision };
  if (!seen || seen.revision === look.revision) return { starts: [], seen: next };
  return { starts: [{ occasion: `manifest ${service} ${look.revision}`, payload: { manifest: { version: look.version } } }], seen: next };
}
