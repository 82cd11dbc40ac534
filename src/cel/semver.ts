export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly string[];
}

const syntax =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** Undefined when it is not a version. `normalize` allows a leading v, missing minor and patch, and leading zeros. */
export function parseSemver(text: string, normalize: boolean): Semver | undefined {
  const found = syntax.exec(normalize ? normalized(text) : text);
  if (!found) return undefined;
  const prerelease = found[4] === undefined ? [] : found[4].split('.');
  if (prerelease.some(part => /^0\d+$/.test(part))) return undefined;
  return { major: BigInt(found[1]!), minor: BigInt(found[2]!), patch: BigInt(found[3]!), prerelease };
}

function normalized(text: string): string {
  const [core = '', rest = ''] = splitAt(text.replace(/^v/, ''), /[-+]/);
  const numbers = core.split('.').map(part => part.replace(/^0+(?=\d)/, ''));
  while (numbers.length < 3) numbers.push('0');
  return numbers.join('.') + rest;
}

function splitAt(text: string, pattern: RegExp): [string, string] {
  const at = text.search(pattern);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

export function compareSemver(a: Semver, b: Semver): number {
  const core = order(a.major, b.major) || order(a.minor, b.minor) || order(a.patch, b.patch);
  if (core !== 0) return core;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return Math.sign(b.prerelease.length - a.prerelease.length);
  for (let i = 0; i < Math.max(a.prerelease.length, b.prerelease.length); i++) {
    const left = a.prerelease[i];
    const right = b.prerelease[i];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left === right) continue;
    const leftIsNumber = /^\d+$/.test(left);
    const rightIsNumber = /^\d+$/.test(right);
    if (leftIsNumber && rightIsNumber) return order(BigInt(left), BigInt(right));
    if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
