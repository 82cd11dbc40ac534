const marks = { yours: '# <<<<<<< yours', theirs: '# ======= what is there now', end: '# >>>>>>>' } as const;

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
    for (const line of chunk(b.slice(i, next), m.slice(j, toMine), t.slice(k, toTheirs))) merged.push(line);
    if (next < b.length) merged.push(b[next]!);
    [i, j, k] = [next + 1, toMine + 1, toTheirs + 1];
    if (next >= b.length) break;
  }
  return merged.join('\n');
}

/** Whether somebody has still to decide. To YAML the marks are comments, so it may well be readable with both sides in it. */
export const isUndecided = (text: string): boolean => text.split('\n').some(line => Object.values<string>(marks).includes(line));

function chunk(base: string[], mine: string[], theirs: string[]): string[] {
  const same = (a: string[], b: string[]) => a.length === b.length && a.every((line, i) => line === b[i]);
  if (same(mine, theirs) || same(base, theirs)) return mine;
  if (same(base, mine)) return theirs;
  return [marks.yours, ...mine, marks.theirs, ...theirs, marks.end];
}

/** What a table of so many cells takes, 64 MiB and a fraction of a second, is spent to find the smallest difference. */
const mostCells = 16 * 1024 * 1024;

/** For each line of the first its line in the second, along a longest common subsequence; of very long texts that differ in very much, only those at both ends. */
function matches(a: readonly string[], b: readonly string[]): (number | undefined)[] {
  const found: (number | undefined)[] = a.map(() => undefined);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) found[start] = start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) found[--endA] = --endB;
  const [height, width] = [endA - start + 1, endB - start + 1];
  if (height * width > mostCells) return found;
  const lengths = new Uint32Array(height * width);
  const at = (i: number, j: number) => (i - start) * width + j - start;
  for (let i = endA - 1; i >= start; i--)
    for (let j = endB - 1; j >= start; j--)
      lengths[at(i, j)] = a[i] === b[j] ? lengths[at(i + 1, j + 1)]! + 1 : Math.max(lengths[at(i + 1, j)]!, lengths[at(i, j + 1)]!);
  for (let i = start, j = start; i < endA && j < endB;) {
    if (a[i] === b[j]) found[i++] = j++;
    else if (lengths[at(i + 1, j)]! >= lengths[at(i, j + 1)]!) i++;
    else j++;
  }
  return found;
}
