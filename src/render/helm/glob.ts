/** Patterns of `.Files.Glob`: `*` and `?` stop at slashes, `**` does not, `{a,b}`, `[abc]`, `[!a-c]`. A broken pattern matches everything. */
export function globMatcher(pattern: string): (name: string) => boolean {
  const source = toRegExp([...pattern]);
  if (source === undefined) return () => true;
  const expression = new RegExp(`^${source}$`, 'su');
  return name => expression.test(name);
}

function toRegExp(letters: readonly string[]): string | undefined {
  let source = '';
  let braces = 0;
  for (let i = 0; i < letters.length; i++) {
    const char = letters[i]!;
    if (char === '*') {
      const isDouble = letters[i + 1] === '*';
      source += isDouble ? '.*' : '[^/]*';
      if (isDouble) i++;
    } else if (char === '?') source += '[^/]';
    else if (char === '\\') {
      if (++i === letters.length) return undefined;
      source += RegExp.escape(letters[i]!);
    } else if (char === '{') {
      braces++;
      source += '(?:';
    } else if (char === '}' && braces > 0) {
      braces--;
      source += ')';
    } else if (char === ',' && braces > 0) source += '|';
    else if (char === '[') {
      const end = letters.indexOf(']', i + 2);
      if (end < 0) return undefined;
      const inside = letters.slice(i + 1, end);
      const isNegated = inside[0] === '!';
      const body = (isNegated ? inside.slice(1) : inside).map(one => (one === '-' ? '-' : RegExp.escape(one))).join('');
      source += `[${isNegated ? '^' : ''}${body}]`;
      i = end;
    } else source += RegExp.escape(char);
  }
  return braces === 0 ? source : undefined;
}
