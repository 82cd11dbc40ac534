import { fn } from '../go/go-function.ts';
import { uint64Type, type GoType } from '../go/go-type.ts';
import { GoError, GoFunction, GoInt, GoObject, int, type GoValue } from '../go/go-value.ts';
import { checkConstraint, compareVersions, parseVersion, type Version } from '../semver/semver.ts';

const versionType: GoType = { name: '*semver.Version', kind: 'ptr' };

/** A version as templates hold it: what `semver` returns. */
class VersionObject extends GoObject {
  readonly goType = versionType;
  readonly #version: Version;

  constructor(version: Version) {
    super();
    this.#version = version;
  }

  override method(name: string): GoFunction | undefined {
    const version = this.#version;
    const give = (value: () => GoValue): GoFunction => new GoFunction([], value);
    switch (name) {
      case 'Major':
        return give(() => new GoInt(version.major, uint64Type));
      case 'Minor':
        return give(() => new GoInt(version.minor, uint64Type));
      case 'Patch':
        return give(() => new GoInt(version.patch, uint64Type));
      case 'Prerelease':
        return give(() => version.prerelease);
      case 'Metadata':
        return give(() => version.metadata);
      case 'Original':
        return give(() => version.original);
      case 'String':
        return give(() => this.print());
      case 'Compare':
        return new GoFunction([versionType], ([other]) => int(compareVersions(version, (other as VersionObject).#version)));
      case 'Equal':
        return new GoFunction([versionType], ([other]) => compareVersions(version, (other as VersionObject).#version) === 0);
      case 'LessThan':
        return new GoFunction([versionType], ([other]) => compareVersions(version, (other as VersionObject).#version) < 0);
      case 'GreaterThan':
        return new GoFunction([versionType], ([other]) => compareVersions(version, (other as VersionObject).#version) > 0);
    }
    return undefined;
  }

  print(): string {
    const { major, minor, patch, prerelease, metadata } = this.#version;
    return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}${metadata === '' ? '' : `+${metadata}`}`;
  }
}

/** Errors of the rules for versions are errors of the function. */
function asGoError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new GoError((error as Error).message);
  }
}

export const semverFunctions: Readonly<Record<string, GoFunction>> = {
  semver: fn(['string'], text => new VersionObject(asGoError(() => parseVersion(text)))),
  semverCompare: fn(['string', 'string'], (constraint, version) => asGoError(() => checkConstraint(constraint, version))),
};
