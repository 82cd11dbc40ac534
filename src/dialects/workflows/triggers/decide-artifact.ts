import type { JsonObject } from '../../../util/json.ts';
import type { ServiceDefinition } from '../kinds/service-definition.ts';
import type { Trigger } from '../kinds/trigger.ts';
import { fitsPattern } from './fits-pattern.ts';
import { seenOf, type TriggerDecision } from './trigger-decision.ts';

type Version = NonNullable<NonNullable<ServiceDefinition['status']>['artifactVersions']>[number];

/** The newest version of every artifact that counts, by its name. */
export function newestVersions(
  service: ServiceDefinition | undefined,
  { artifact, tagFilter }: { artifact?: string; tagFilter?: string },
): Map<string, Version> {
  const newest = new Map<string, Version>();
  for (const version of service?.status?.artifactVersions ?? []) {
    const isMeant = (artifact === undefined || version.artifact === artifact) && fitsPattern(version.tag, tagFilter);
    if (isMeant && !newest.has(version.artifact)) newest.set(version.artifact, version);
  }
  return newest;
}

export const versionText = ({ tag, digest = '' }: Pick<Version, 'tag' | 'digest'>): string => (digest === '' ? tag : `${tag}@${digest}`);

/** A start for a version that was not there before. What is there at the first look is not new. */
export function decideArtifact(
  { spec, status }: Pick<Trigger, 'spec' | 'status'>,
  service: ServiceDefinition | undefined,
): TriggerDecision {
  const { condition } = spec;
  const about = `NewArtifact ${JSON.stringify([condition.service, condition.artifact ?? null, condition.tagFilter ?? null])}`;
  const seen = seenOf<{ about: string; versions: JsonObject }>(status?.seen, about);
  // What was there before anybody looked is not new.
  if (service && service.status?.artifactVersions === undefined) return { starts: [], seen: seen ?? {} };
  const newest = newestVersions(service, condition);
  const versions = { ...seen?.versions, ...Object.fromEntries([...newest].map(([name, version]) => [name, versionText(version)])) };
  const fresh = [...newest].filter(([name, version]) => seen !== undefined && seen.versions[name] !== versionText(version));
  return {
    starts: fresh.map(([name, { tag, digest }]) => ({
      occasion: `artifact ${condition.service} ${name} ${tag}@${digest ?? ''}`,
      payload: { artifact: { name, buildNo: tag, tag, digest: digest ?? '' } },
      artifacts: [{ service: condition.service!, artifact: name, tag, ...(digest !== undefined && { digest }) }],
    })),
    seen: { about, versions },
    ...(service ? {} : { message: `There is no ServiceDefinition "${condition.service}"` }),
  };
}
