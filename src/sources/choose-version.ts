import { checkConstraint, compareVersions, parseVersion } from '../render/semver/semver.ts';

/**
 * The version that Helm would take: the one that is called exactly so, or else the newest that is within the range. Without a range the newest that is
 * no pre-release. What is no version is passed over; a range that cannot be read throws.
 */
export function chooseVersion(versions: readonly string[], wanted: string | undefined): string | undefined {
  const range = wanted === undefined || wanted === '' ? '*' : wanted;
  if (versions.includes(range)) return range;
  checkRange(range);
  return newestFirst(versions).find(version => checkConstraint(range, version));
}

/** Throws when a range cannot be read. */
export function checkRange(range: string): void {
  checkConstraint(range, '0.0.0');
}

export function newestFirst(versions: readonly string[]): string[] {
  return versions
    .flatMap(text => {
      try {
        return [{ text, version: parseVersion(text) }];
      } catch {
        return [];
      }
    })
    .sort((a, b) => compareVersions(b.version, a.version))
    .map(({ text }) => text);
}

/** For people who asked for a version that is not there: `it has 1.2.0, 1.1.0, 1.0.0 and 4 more`. */
export function versionsInWords(versions: readonly string[]): string {
  const all = newestFirst(versions);
  if (all.length === 0) return 'it has none';
  const shown = all.slice(0, 3).join(', ');
  return all.length > 3 ? `it has ${shown} and ${all.length - 3} more` : `it has ${shown}`;
}
