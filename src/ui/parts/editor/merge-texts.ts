/** Three-way merge by lines: where only one side changed, its lines; where both did, both, marked as git marks them. */
export function mergeTexts(base: string, mine: string, theirs: string): string {
  const [b, m, t] = [base, mine, theirs].map(text => text.split('\n')) as [string[], string[], string[]];
  const ours = matches(b, m);
  const others = matches(b, t);
  const merged: string[] = [];
  let [i, j, k] = [0, 0, 0];
  while (i < b.length || j < m.length || k < t.length) {
    let next = i;
    while (next < b.length && (ours[next] === undefined || others[next] === undefined || ours[next]! < j || others[next]! < k)) next++;
    const [toMine, toTheirs] = next < b.length ? [ours[next]!, others[next]!] : [m.length, t.length];
    merged.push(...chunk(b.slice(i, next), m.slice(j, toMine), t.slice(k, toTheirs)));
    if (next < b.length) merged.push(b[next]!);
    [i, j, k] = [next + 1, toMine + 1, toTheirs + 1];
    if (next >= b.length) break;
  }
  return merged.join('\n');
}

function chunk(base: string[], mine: string[], theirs: string[]): string[] {
  const same = (a: string[], b: string[]) => a.length === b.length && a.every((line, i) => line === b[i]);
  if (same(mine, theirs) || same(base, theirs)) return mine;
  if (same(base, mine)) return theirs;
  return ['# <<<<<<< yours', ...mine, '# ======= what is there now', ...theirs, '# >>>>>>>'];
}

/** For each line of the first its line in the second, along a longest common subsequence. */
function matches(a: readonly string[], b: readonly string[]): (number | undefined)[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j] ? lengths[(i + 1) * width + j + 1]! + 1 : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const found: (number | undefined)[] = a.map(() => undefined);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) found[i++] = j++;
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return found;
}
