import { checkConstraint, compareVersions, parseVersion } from '../render/semver/semver.ts';
import { compareTexts } from '../util/compare-texts.ts';
import { checkRange, versionsInWords } from './choose-version.ts';
import { SourceError } from './source-error.ts';

const prefix = 'semver:';

/** How the version of a source says that the newest tag within a range is meant. No tag has a colon. */
export const rangeOfTags = (range: string): string => `${prefix}${range}`;

/** The range that a version names; undefined when it names something else. */
export const rangeIn = (version: string): string | undefined => (version.startsWith(prefix) ? version.slice(prefix.length) : undefined);

/** Whole versions only, with or without a "v", as Flux has it: a tag "1.2" may be moved along by whoever made it. */
const wholeVersion = /^v?[0-9]+\.[0-9]+\.[0-9]+(?:[-+].*)?$/;

/** The newest of the tags that lies within the range. Throws SourceError. */
export function newestTag(tags: readonly string[], range: string, place: string): string {
  try {
    checkRange(range);
  } catch (cause) {
    throw new SourceError(`${JSON.stringify(range)} is no range of versions`, { cause, isFinal: true });
  }
  const versions = tags.filter(tag => wholeVersion.test(tag) && isVersion(tag));
  const [newest] = versions
    .filter(tag => checkConstraint(range, tag))
    .toSorted((a, b) => compareVersions(parseVersion(b), parseVersion(a)) || compareTexts(b, a));
  if (newest !== undefined) return newest;
  throw new SourceError(`no tag within "${range}" found in "${place}"; ${versionsInWords(versions)}`, { isFinal: true });
}

function isVersion(tag: string): boolean {
  try {
    parseVersion(tag);
    return true;
  } catch {
    return false;
  }
}
