import { baseName } from '../go/base-name.ts';
import { pathMatch } from '../go/path-match.ts';

interface Rule {
  readonly pattern: string;
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  readonly matchesBase: boolean;
}

/** What .helmignore leaves out. */
export class IgnoreRules {
  readonly #rules: Rule[];

  /** Throws when a line cannot be understood. */
  constructor(text: string) {
    const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
    this.#rules = [...lines, 'templates/.?*'].flatMap(line => parseRule(line) ?? []);
  }

  ignores(path: string, isFolder: boolean): boolean {
    for (const { pattern, isNegated, isForFolders, matchesBase } of this.#rules) {
      const matches = pathMatch(pattern, matchesBase ? baseName(path) : path) ?? false;
      if (isNegated) {
        if ((isForFolders && !isFolder) || !matches) return true;
        continue;
      }
      if (isForFolders && !isFolder) continue;
      if (matches) return true;
    }
    return false;
  }
}

function parseRule(line: string): Rule | undefined {
  let pattern = line.trim();
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  if (pattern.includes('**')) throw new Error('double-star (**) syntax is not supported');
  if (pathMatch(pattern, 'abc') === undefined) throw new Error('syntax error in pattern');
  const isNegated = pattern.startsWith('!');
  if (isNegated) pattern = pattern.slice(1);
  const isForFolders = pattern.endsWith('/');
  if (isForFolders) pattern = pattern.slice(0, -1);
  if (pattern.startsWith('/')) return { pattern: pattern.slice(1), isNegated, isForFolders, matchesBase: false };
  return { pattern, isNegated, isForFolders, matchesBase: !pattern.includes('/') };
}
