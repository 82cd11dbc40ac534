import type { JsonObject } from '../../../util/json.ts';
import type { ServiceDefinition } from '../kinds/service-definition.ts';
import type { Trigger } from '../kinds/trigger.ts';
import { seenOf, type TriggerDecision } from './trigger-decision.ts';
import { versionTest } from './version-filter.ts';

type Version = NonNullable<NonNullable<ServiceDefinition['status']>['artifactVersions']>[number];

/** The newest version of every artifact that counts, by its name. */
export function newestVersions(
  service: ServiceDefinition | undefined,
  { artifact, tagFilter }: { artifact?: string; tagFilter?: string },
): Map<string, Version> {
  const newest = new Map<string, Version>();
  const fits = versionTest(tagFilter);
  for (const version of service?.status?.artifactVersions ?? []) {
    const isMeant = (artifact === undefined || version.artifact === artifact) && fits(version.tag);
    if (isMeant && !newest.has(version.artifact)) newest.set(version.artifact, version);
  }
  return newest;
}

export const versionText = ({ tag, digest = '' }: Pick<Version, 'tag' | 'digest'>): string => (digest === '' ? tag : `${tag}@${digest}`);

type Seen = {
  about: string;
  versions: JsonObject;
  /** When those were first seen. */
  since?: JsonObject;
  /** Counts looks that found something: the same version can come back. */
  round?: number;
};

/** A start for a version that was not there before. What is there at the first look is not new. */
export function decideArtifact(
  { spec, status }: Pick<Trigger, 'spec' | 'status'>,
  service: ServiceDefinition | undefined,
): TriggerDecision {
  const { condition } = spec;
  const about = `NewArtifact ${JSON.stringify([condition.service, condition.artifact ?? null, condition.tagFilter ?? null])}`;
  const seen = seenOf<Seen>(status?.seen, about);
  // What was there before anybody looked is not new.
  if (service && service.status?.artifactVersions === undefined) return { starts: [], seen: seen ?? {} };
  const newest = newestVersions(service, condition);
  const versions = { ...seen?.versions, ...Object.fromEntries([...newest].map(([name, version]) => [name, versionText(version)])) };
  const since = { ...seen?.since, ...Object.fromEntries([...newest].map(([name, version]) => [name, version.seenAt])) };
  const texts = new Map((service?.status?.artifactVersions ?? []).map(one => [`${one.artifact} ${versionText(one)}`, one]));
  /** Where the newest was deleted, what was there before it is the newest again, and not new. */
  const isLeftOver = (name: string, { seenAt }: Version) => {
    const before = seen?.since?.[name];
    return !texts.has(`${name} ${String(seen?.versions[name])}`) && typeof before === 'string' && Date.parse(seenAt) <= Date.parse(before);
  };
  const fresh = [...newest].filter(
    ([name, version]) => seen !== undefined && seen.versions[name] !== versionText(version) && !isLeftOver(name, version),
  );
  const { round = 0 } = seen ?? {};
  return {
    starts: fresh.map(([name, { tag, digest }]) => ({
      occasion: `artifact ${condition.service} ${name} ${tag}@${digest ?? ''}${round === 0 ? '' : ` ${round}`}`,
      payload: { artifact: { name, buildNo: tag, tag, digest: digest ?? '' } },
      artifacts: [{ service: condition.service!, artifact: name, tag, ...(digest !== undefined && { digest }) }],
    })),
    seen: { about, versions, since, round: fresh.length > 0 ? round + 1 : round },
    ...(service ? {} : { message: `There is no ServiceDefinition "${condition.service}"` }),
  };
}
