/** Go's filepath.Match on Linux: `*` and `?` stop at slashes, `[a-z]` and `[^a]`, a backslash escapes. Undefined when the pattern is broken. */
export function pathMatch(pattern: string, name: string): boolean | undefined {
  const source = toRegExp(pattern);
  return source === undefined ? undefined : new RegExp(`^${source}$`, 'su').test(name);
}

function toRegExp(pattern: string): string | undefined {
  const letters = [...pattern];
  let source = '';
  for (let i = 0; i < letters.length; i++) {
    const char = letters[i]!;
    if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '\\') {
      if (++i === letters.length) return undefined;
      source += RegExp.escape(letters[i]!);
    } else if (char === '[') {
      const end = classEnd(letters, i);
      if (end === undefined) return undefined;
      source += characterClass(letters.slice(i + 1, end));
      i = end;
    } else source += RegExp.escape(char);
  }
  return source;
}

function classEnd(letters: readonly string[], start: number): number | undefined {
  let i = start + 1;
  if (letters[i] === '^') i++;
  const first = i;
  for (; i < letters.length; i++) {
    if (letters[i] === ']' && i > first) return i;
    if (letters[i] === '\\') i++;
  }
  return undefined;
}

function characterClass(inside: readonly string[]): string {
  const isNegated = inside[0] === '^';
  let body = '';
  for (let i = isNegated ? 1 : 0; i < inside.length; i++) {
    const char = inside[i]!;
    if (char === '\\') body += RegExp.escape(inside[++i] ?? '');
    else body += char === '-' ? '-' : RegExp.escape(char);
  }
  return `(?!/)[${isNegated ? '^' : ''}${body}]`;
}
