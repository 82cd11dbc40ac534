import { pathMatch } from '../render/go/path-match.ts';

interface Rule {
  readonly parts: readonly string[];
  readonly isKept: boolean;
  readonly isForFolders: boolean;
  readonly isAnchored: boolean;
}

/** Whether rules in the form of .gitignore leave a file out. The last rule that says something about it, or about a folder that it is in, counts. */
export function gitIgnore(text: string): (path: string) => boolean {
  const rules = text
    .split(/\r?\n/)
    .filter(line => !line.startsWith('#') && line.trim() !== '')
    .map(parseRule)
    .reverse();
  return path => {
    const parts = path.split('/');
    const rule = rules.find(one => (one.isAnchored ? matchesPath(one, parts) : matchesName(one, parts)));
    return rule !== undefined && !rule.isKept;
  };
}

function parseRule(line: string): Rule {
  const isKept = line.startsWith('!');
  let pattern = isKept ? line.slice(1) : line;
  if (!pattern.endsWith('\\ ')) pattern = pattern.trimEnd();
  const isForFolders = pattern.endsWith('/');
  if (isForFolders) pattern = pattern.slice(0, -1);
  return { parts: pattern.split('/'), isKept, isForFolders, isAnchored: pattern.includes('/') };
}

function matchesName({ parts: [pattern = ''], isForFolders }: Rule, path: readonly string[]): boolean {
  const names = isForFolders ? path.slice(0, -1) : path;
  return names.some(name => pathMatch(pattern, name) === true);
}

function matchesPath({ parts, isForFolders }: Rule, path: readonly string[]): boolean {
  let at = 0;
  let mayLieDeeper = false;
  for (const [i, pattern] of parts.entries()) {
    if (pattern === '') continue;
    if (pattern === '**') {
      // At the end it means what is below, not the folder itself.
      if (i === parts.length - 1) return at < path.length;
      mayLieDeeper = true;
      continue;
    }
    while (mayLieDeeper && at < path.length && pathMatch(pattern, path[at]!) !== true) at++;
    if (at >= path.length || pathMatch(pattern, path[at]!) !== true) return false;
    mayLieDeeper = false;
    at++;
  }
  return at > 0 && !(isForFolders && at === path.length);
}
