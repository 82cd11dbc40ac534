/** A unified diff with three lines of context and no file names, as the API shows what changed in an immutable field. */
export function unifiedDiff(before: string, after: string): string {
  const a = before.split('\n').map(line => `${line}\n`);
  const b = after.split('\n').map(line => `${line}\n`);
  return hunksOf(editsOf(a, b))
    .map(hunk => printHunk(hunk, a, b))
    .join('');
}

interface Edit {
  readonly tag: 'equal' | 'replace' | 'delete' | 'insert';
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

const context = 3;

function matchingBlocks(a: readonly string[], b: readonly string[]): [number, number, number][] {
  const places = new Map<string, number[]>();
  for (const [j, line] of b.entries()) places.set(line, [...(places.get(line) ?? []), j]);
  const blocks: [number, number, number][] = [];
  const visit = (aLow: number, aHigh: number, bLow: number, bHigh: number): void => {
    const [i, j, size] = longestMatch(a, places, aLow, aHigh, bLow, bHigh);
    if (size === 0) return;
    visit(aLow, i, bLow, j);
    blocks.push([i, j, size]);
    visit(i + size, aHigh, j + size, bHigh);
  };
  visit(0, a.length, 0, b.length);
  return [...blocks, [a.length, b.length, 0]];
}

function longestMatch(
  a: readonly string[],
  places: ReadonlyMap<string, number[]>,
  aLow: number,
  aHigh: number,
  bLow: number,
  bHigh: number,
): [number, number, number] {
  let best: [number, number, number] = [aLow, bLow, 0];
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best[2]) best = [i - size + 1, j - size + 1, size];
    }
    lengths = next;
  }
  return best;
}

function editsOf(a: readonly string[], b: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  for (const [ai, bj, size] of matchingBlocks(a, b)) {
    const tag = i < ai && j < bj ? 'replace' : i < ai ? 'delete' : j < bj ? 'insert' : undefined;
    if (tag) edits.push({ tag, a: [i, ai], b: [j, bj] });
    i = ai + size;
    j = bj + size;
    if (size > 0) edits.push({ tag: 'equal', a: [ai, i], b: [bj, j] });
  }
  return edits;
}

function hunksOf(edits: readonly Edit[]): Edit[][] {
  const hunks: Edit[][] = [];
  let hunk: Edit[] = [];
  for (const [k, edit] of edits.entries()) {
    if (edit.tag !== 'equal') {
      hunk.push(edit);
      continue;
    }
    const [aStart, aEnd] = edit.a;
    const [bStart, bEnd] = edit.b;
    const isFirst = k === 0;
    const isLast = k === edits.length - 1;
    if (isFirst) {
      const skip = Math.max(0, aEnd - aStart - context);
      hunk.push({ tag: 'equal', a: [aStart + skip, aEnd], b: [bStart + skip, bEnd] });
    } else if (isLast || aEnd - aStart > 2 * context) {
      const keep = Math.min(context, aEnd - aStart);
      hunk.push({ tag: 'equal', a: [aStart, aStart + keep], b: [bStart, bStart + keep] });
      hunks.push(hunk);
      hunk = isLast ? [] : [{ tag: 'equal', a: [aEnd - context, aEnd], b: [bEnd - context, bEnd] }];
    } else hunk.push(edit);
  }
  if (hunk.some(edit => edit.tag !== 'equal')) hunks.push(hunk);
  return hunks.filter(h => h.some(edit => edit.tag !== 'equal'));
}

function printHunk(hunk: readonly Edit[], a: readonly string[], b: readonly string[]): string {
  const first = hunk[0];
  const last = hunk.at(-1);
  if (!first || !last) return '';
  let text = `@@ -${rangeOf(first.a[0], last.a[1])} +${rangeOf(first.b[0], last.b[1])} @@\n`;
  for (const edit of hunk) {
    if (edit.tag === 'equal') for (const line of a.slice(...edit.a)) text += ` ${line}`;
    if (edit.tag === 'replace' || edit.tag === 'delete') for (const line of a.slice(...edit.a)) text += `-${line}`;
    if (edit.tag === 'replace' || edit.tag === 'insert') for (const line of b.slice(...edit.b)) text += `+${line}`;
  }
  return text;
}

function rangeOf(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return `${start + 1}`;
  return `${length === 0 ? start : start + 1},${length}`;
}
