import { newestFirst } from '../../../sources/choose-version.ts';
import { compareTexts } from '../../../util/compare-texts.ts';
import type { ServiceDefinition } from '../kinds/service-definition.ts';

export type SeenVersion = NonNullable<NonNullable<ServiceDefinition['status']>['artifactVersions']>[number];

/** A version as its source lists it. */
export interface ListedVersion {
  readonly tag: string;
  readonly digest?: string;
}

/** Of more than these, those with the highest numbers or names. */
const maxKept = 200;

/** What is known of an artifact after a look: what is new comes first, what is gone is forgotten, the rest stays as it was. */
export function mergeVersions(known: readonly SeenVersion[], artifact: string, listed: readonly ListedVersion[], now: Date): SeenVersion[] {
  const isSame = (one: ListedVersion, other: ListedVersion) =>
    one.tag === other.tag && (one.digest === undefined || other.digest === undefined || one.digest === other.digest);
  const counted = inOrder(listed).slice(0, maxKept);
  const fresh = counted.filter(one => !known.some(other => isSame(one, other)));
  const kept = known.filter(one => counted.some(other => isSame(one, other)));
  const seenAt = now.toISOString();
  return [...fresh.map(one => ({ artifact, ...one, seenAt })), ...kept];
}

/** Versions by their numbers, the newest first; then the others by name. */
export function inOrder(listed: readonly ListedVersion[]): ListedVersion[] {
  const rank = new Map(newestFirst(listed.map(one => one.tag)).map((tag, index) => [tag, index]));
  return listed.toSorted((a, b) => (rank.get(a.tag) ?? Infinity) - (rank.get(b.tag) ?? Infinity) || compareTexts(b.tag, a.tag));
}
