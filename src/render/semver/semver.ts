import { goQuote } from '../../util/go-quote.ts';

/** A version by the loose rules of Helm's world: `v1.2` is 1.2.0. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  readonly original: string;
}

const maxVersionBytes = 256;
const maxConstraintBytes = 512;
const maxGroups = 32;
const loose =
  /^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const maxSegment = 2n ** 64n - 1n;

/** Throws with the words Helm's users know when the text is no version. */
export function parseVersion(text: string): Version {
  if (Buffer.byteLength(text) > maxVersionBytes) throw new Error(`version string is too long (max ${maxVersionBytes} bytes)`);
  const match = loose.exec(text);
  if (!match) throw new Error('invalid semantic version');
  const [, major, minor = '0', patch = '0', prerelease = '', metadata = ''] = match as unknown as string[];
  if (prerelease.split('.').some(part => /^0[0-9]+$/.test(part))) throw new Error('version segment starts with 0');
  return { major: segment(major!), minor: segment(minor), patch: segment(patch), prerelease, metadata, original: text };
}

function segment(text: string): bigint {
  const value = BigInt(text);
  if (value <= maxSegment) return value;
  throw new Error(`error parsing version segment: strconv.ParseUint: parsing ${goQuote(text)}: value out of range`);
}

export function compareVersions(a: Version, b: Version): number {
  for (const part of ['major', 'minor', 'patch'] as const) if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  if (a.prerelease === b.prerelease) return 0;
  if (a.prerelease === '') return 1;
  if (b.prerelease === '') return -1;
  return comparePrereleases(a.prerelease.split('.'), b.prerelease.split('.'));
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = compareParts(a[i] ?? '', b[i] ?? '');
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareParts(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return -1;
  if (b === '') return 1;
  const isNumberA = /^[0-9]+$/.test(a);
  const isNumberB = /^[0-9]+$/.test(b);
  if (isNumberA && isNumberB) return BigInt(a) < BigInt(b) ? -1 : 1;
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : 1;
}

interface Constraint {
  readonly operator: string;
  readonly version: Version;
  /** Parts that were left out or are wildcards; the first of them opens the constraint. */
  readonly isMinorOpen: boolean;
  readonly isPatchOpen: boolean;
  readonly isOpen: boolean;
}

const versionPattern = String.raw`v?([0-9|x|X|\*]+)(\.[0-9|x|X|\*]+)?(\.[0-9|x|X|\*]+)?(-([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?`;
const operators = String.raw`!=|>=|=>|<=|=<|~>|=|>|<|~|\^`;
const oneConstraint = new RegExp(String.raw`^\s*(${operators}|)\s*(${versionPattern})\s*$`);
const anyConstraint = new RegExp(String.raw`(${operators}|)\s*(${versionPattern})`, 'g');
const validConstraints = new RegExp(
  String.raw`^(\s*(${operators}|)\s*(${versionPattern})\s*)((?:\s+|,\s*)(${operators}|)\s*(${versionPattern})\s*)*$`,
);
const hyphenRange = new RegExp(String.raw`\s*(${versionPattern})\s+-\s+(${versionPattern})\s*`, 'g');

/** Whether a version satisfies a constraint such as `>= 1.2, < 2 || ~3.1`. Throws when either cannot be read. */
export function checkConstraint(constraint: string, text: string): boolean {
  const groups = parseConstraints(constraint);
  const version = parseVersion(text);
  return groups.some(group => {
    const allowsPrerelease = group.some(one => one.version.prerelease !== '');
    if (version.prerelease !== '' && !allowsPrerelease) return false;
    return group.every(one => satisfies(version, one));
  });
}

function parseConstraints(text: string): Constraint[][] {
  if (Buffer.byteLength(text) > maxConstraintBytes) throw new Error(`constraint string is too long (max ${maxConstraintBytes} bytes)`);
  const ranged = text.replace(hyphenRange, (_, ...groups: string[]) => `>= ${groups[0]}, <= ${groups[10]} `);
  const groups = ranged.split('||');
  if (groups.length > maxGroups) throw new Error(`too many constraint groups (max ${maxGroups})`);
  return groups.map(group => {
    if (!validConstraints.test(group)) throw new Error(`improper constraint: ${goQuote(group)}`);
    return [...group.matchAll(anyConstraint)].map(match => parseConstraint(match[0]));
  });
}

function parseConstraint(text: string): Constraint {
  const match = oneConstraint.exec(text);
  if (!match) throw new Error(`improper constraint: ${goQuote(text)}`);
  const [, operator = '', , major = '', minor, patch, prerelease = ''] = match as unknown as string[];
  const isWild = (part: string | undefined): boolean => part === undefined || /^\.?[xX*]$/.test(part);
  const isMajorOpen = isWild(major);
  // Only the first part that is open counts.
  const isMinorOpen = !isMajorOpen && isWild(minor);
  const isPatchOpen = !isMajorOpen && !isMinorOpen && isWild(patch);
  const plain = isMajorOpen
    ? `0.0.0${prerelease}`
    : isMinorOpen
      ? `${major}.0.0${prerelease}`
      : isPatchOpen
        ? `${major}${minor}.0${prerelease}`
        : match[2]!;
  const isOpen = isMajorOpen || isMinorOpen || isPatchOpen;
  return { operator, version: constraintVersion(plain), isMinorOpen, isPatchOpen, isOpen };
}

function constraintVersion(text: string): Version {
  try {
    return parseVersion(text);
  } catch {
    throw new Error('constraint parser error');
  }
}

function satisfies(version: Version, constraint: Constraint): boolean {
  const { operator, version: wanted, isMinorOpen, isOpen } = constraint;
  const order = compareVersions(version, wanted);
  switch (operator) {
    case '!=':
      return isOpen ? differs(version, constraint, order) : order !== 0;
    case '>':
      return isGreater(version, constraint, order);
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      if (!isOpen) return order <= 0;
      return version.major <= wanted.major && !(version.major === wanted.major && version.minor > wanted.minor && !isMinorOpen);
    case '^':
      return order >= 0 && isWithinCaret(version, constraint);
    case '~':
    case '~>':
      return isWithinTilde(version, constraint, order);
  }
  return isOpen ? isWithinTilde(version, constraint, order) : order === 0;
}

function differs(version: Version, { version: wanted, isMinorOpen, isPatchOpen }: Constraint, order: number): boolean {
  if (version.major !== wanted.major) return true;
  if (isMinorOpen) return false;
  if (version.minor !== wanted.minor) return true;
  if (isPatchOpen) return comparePrereleases(version.prerelease.split('.'), wanted.prerelease.split('.')) !== 0;
  return order !== 0;
}

function isGreater(version: Version, { version: wanted, isOpen, isMinorOpen, isPatchOpen }: Constraint, order: number): boolean {
  if (!isOpen) return order > 0;
  if (version.major !== wanted.major) return version.major > wanted.major;
  if (isMinorOpen) return false;
  return isPatchOpen ? version.minor > wanted.minor : order > 0;
}

function isWithinTilde(version: Version, { version: wanted, isMinorOpen, isPatchOpen }: Constraint, order: number): boolean {
  if (order < 0) return false;
  const isZero = wanted.major === 0n && wanted.minor === 0n && wanted.patch === 0n;
  if (isZero && !isMinorOpen && !isPatchOpen) return true;
  if (version.major !== wanted.major) return false;
  return version.minor === wanted.minor || isMinorOpen;
}

function isWithinCaret(version: Version, { version: wanted, isMinorOpen, isPatchOpen }: Constraint): boolean {
  if (wanted.major > 0n || isMinorOpen) return version.major === wanted.major;
  if (version.major > 0n) return false;
  if (wanted.minor > 0n || isPatchOpen) return version.minor === wanted.minor;
  return version.minor === 0n && version.patch === wanted.patch;
}
