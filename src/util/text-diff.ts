export interface DiffNames {
  readonly from: string;
  readonly to: string;
}

/** Lines that stay around each change, as with `diff -u`. */
const contextLines = 3;
/** With more changes than this in a row the shortest way is not looked for: it would cost memory by the square. */
const maxEdits = 2000;

type Edit = { readonly kind: ' ' | '-' | '+'; readonly line: string };

/** What has to change in a text to become another, as `diff -u` prints it. Empty when they are equal. */
export function unifiedDiff(before: string, after: string, { from, to }: DiffNames): string {
  if (before === after) return '';
  const edits = editsBetween(linesOf(before), linesOf(after));
  return `--- ${from}\n+++ ${to}\n${hunksOf(edits).join('')}`;
}

/** Lines with their ends, so that a last line without one differs from the same line with one. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function editsBetween(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (lines: readonly string[]): Edit[] => lines.map(line => ({ kind: ' ', line }));
  const middle = shortestEdits(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

/** Myers' greedy algorithm: the furthest line of `a` on each diagonal after 0, 1, 2, … edits. */
function shortestEdits(a: readonly string[], b: readonly string[]): Edit[] {
  const most = Math.min(a.length + b.length, maxEdits);
  const furthest = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const trace: Reach[] = [];
  for (let edits = 0; edits <= most; edits++) {
    const reach: Reach = { edits, lines: furthest.slice(middle - edits - 1, middle + edits + 2) };
    trace.push(reach);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = isAddition(reach, diagonal) ? lineOn(reach, diagonal + 1) : lineOn(reach, diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      furthest[middle + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return walkBack(trace, a, b);
    }
  }
  return [...a.map((line): Edit => ({ kind: '-', line })), ...b.map((line): Edit => ({ kind: '+', line }))];
}

/** How far one edit less had come, on the diagonals around the middle one. */
interface Reach {
  readonly edits: number;
  readonly lines: Int32Array;
}

const lineOn = ({ edits, lines }: Reach, diagonal: number): number => lines[diagonal + edits + 1]!;

/** Whether the last edit on the best way to a diagonal adds a line; otherwise it removes one. */
const isAddition = (reach: Reach, diagonal: number): boolean =>
  diagonal === -reach.edits || (diagonal !== reach.edits && lineOn(reach, diagonal - 1) < lineOn(reach, diagonal + 1));

function walkBack(trace: readonly Reach[], a: readonly string[], b: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let [x, y] = [a.length, b.length];
  for (const reach of trace.toReversed()) {
    const adds = isAddition(reach, x - y);
    const diagonal = adds ? x - y + 1 : x - y - 1;
    const fromX = reach.edits === 0 ? 0 : lineOn(reach, diagonal);
    const fromY = reach.edits === 0 ? 0 : fromX - diagonal;
    while (x > fromX && y > fromY) {
      edits.push({ kind: ' ', line: a[--x]! });
      y--;
    }
    if (reach.edits > 0) edits.push(adds ? { kind: '+', line: b[--y]! } : { kind: '-', line: a[--x]! });
  }
  return removalsFirst(edits.reverse());
}

/** Between two lines that stay, what goes stands before what comes. */
function removalsFirst(edits: readonly Edit[]): Edit[] {
  const ordered: Edit[] = [];
  const added: Edit[] = [];
  for (const edit of edits) {
    if (edit.kind === '+') added.push(edit);
    else {
      if (edit.kind === ' ') ordered.push(...added.splice(0));
      ordered.push(edit);
    }
  }
  return [...ordered, ...added];
}

function hunksOf(edits: readonly Edit[]): string[] {
  const changed = edits.flatMap(({ kind }, i) => (kind === ' ' ? [] : [i]));
  const hunks: string[] = [];
  let [before, after, done] = [0, 0, 0];
  for (let i = 0; i < changed.length;) {
    const first = Math.max(0, changed[i]! - contextLines);
    // Changes whose surroundings meet are one hunk.
    while (i + 1 < changed.length && changed[i + 1]! - changed[i]! <= 2 * contextLines + 1) i++;
    const last = Math.min(edits.length, changed[i]! + contextLines + 1);
    i++;
    const shown = edits.slice(first, last);
    before += first - done;
    after += first - done;
    const [old, young] = [linesWithout(shown, '+'), linesWithout(shown, '-')];
    hunks.push(`@@ -${rangeOf(before, old)} +${rangeOf(after, young)} @@\n${shown.map(printEdit).join('')}`);
    before += old;
    after += young;
    done = last;
  }
  return hunks;
}

const linesWithout = (edits: readonly Edit[], kind: Edit['kind']): number => edits.filter(edit => edit.kind !== kind).length;

/** Lines are counted from 1; an empty range names the line before it. */
function rangeOf(start: number, length: number): string {
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

const printEdit = ({ kind, line }: Edit): string =>
  line.endsWith('\n') ? `${kind}${line}` : `${kind}${line}\n\\ No newline at end of file\n`;
