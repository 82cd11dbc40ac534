import { compileGoRegExp } from '../../../cel/go-regexp.ts';
import { checkConstraint } from '../../../render/semver/semver.ts';
import { checkRange } from '../../../sources/choose-version.ts';
import { rangeIn } from '../../../sources/newest-tag.ts';
import { errorText } from '../../../util/error-text.ts';
import { fitsPattern } from './fits-pattern.ts';

const regexPrefix = 'regex:';
const regexIn = (filter: string): string | undefined => (filter.startsWith(regexPrefix) ? filter.slice(regexPrefix.length) : undefined);

/** Whether versions are meant by a filter: a pattern with `*`, `semver:` and a range, or `regex:` and an expression that is found in them. No tag has a colon. */
export function versionTest(filter = ''): (version: string) => boolean {
  const range = rangeIn(filter);
  if (range !== undefined) return version => isWithin(range, version);
  const regex = regexIn(filter);
  if (regex === undefined) return version => fitsPattern(version, filter);
  const compiled = compileGoRegExp(regex);
  return version => compiled.test(version);
}

/** What is no version is in no range. */
function isWithin(range: string, version: string): boolean {
  try {
    return checkConstraint(range, version);
  } catch {
    return false;
  }
}

/** Whether one tag is meant, which may come to mean something else. */
export const isOneTag = (filter: string | undefined): boolean =>
  filter !== undefined && filter !== '' && !filter.includes('*') && rangeIn(filter) === undefined && regexIn(filter) === undefined;

/** Why a filter cannot be used; undefined when it can. */
export function versionFilterFault(filter: string): string | undefined {
  try {
    const range = rangeIn(filter);
    if (range !== undefined) checkRange(range);
    else versionTest(filter);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
