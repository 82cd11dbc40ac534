/** Reads a list of indexes such as `1,3-5,7`. Indexes from `limit` on are left out, as is what cannot be read. */
export function parseIndexes(text: string, limit: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [first = NaN, last = first] = part.split('-').map(Number);
    for (let i = first; i <= Math.min(last, limit - 1); i++) indexes.add(i);
  }
  return indexes;
}

/** The shortest list of a set of indexes: runs of three and more are joined by a hyphen. */
export function printIndexes(indexes: ReadonlySet<number>): string {
  const runs: { first: number; last: number }[] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run.last + 1 === index) run.last = index;
    else runs.push({ first: index, last: index });
  }
  return runs.map(printRun).join(',');
}

function printRun({ first, last }: { first: number; last: number }): string {
  if (first === last) return String(first);
  return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
}
