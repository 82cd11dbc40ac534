interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Edit {
  readonly tag: 'equal' | 'replace' | 'delete' | 'insert';
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

const context = 3;

/** The unified diff of two texts, with three lines around each change, as Python's difflib and its Go port make it. */
export function unifiedDiff(a: string, b: string): string {
  const left = a.split('\n');
  const right = b.split('\n');
  return grouped(edits(left, right))
    .map(group => printGroup(group, left, right))
    .join('');
}

function printGroup(group: readonly Edit[], left: readonly string[], right: readonly string[]): string {
  const first = group[0]!;
  const last = group.at(-1)!;
  let text = `@@ -${range(first.a1, last.a2)} +${range(first.b1, last.b2)} @@\n`;
  for (const { tag, a1, a2, b1, b2 } of group) {
    if (tag === 'equal') {
      for (let i = a1; i < a2; i++) text += ` ${left[i]}\n`;
      continue;
    }
    for (let i = a1; i < a2; i++) text += `-${left[i]}\n`;
    for (let i = b1; i < b2; i++) text += `+${right[i]}\n`;
  }
  return text;
}

function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return `${start + 1}`;
  return `${length === 0 ? start : start + 1},${length}`;
}

function edits(left: readonly string[], right: readonly string[]): Edit[] {
  const found: Edit[] = [];
  let a = 0;
  let b = 0;
  for (const block of matchingBlocks(left, right)) {
    const tag = a < block.a ? (b < block.b ? 'replace' : 'delete') : b < block.b ? 'insert' : undefined;
    if (tag) found.push({ tag, a1: a, a2: block.a, b1: b, b2: block.b });
    a = block.a + block.size;
    b = block.b + block.size;
    if (block.size > 0) found.push({ tag: 'equal', a1: block.a, a2: a, b1: block.b, b2: b });
  }
  return found;
}

// Lines that fill more than a hundredth of a long text (braces, mostly) do not start a match, only extend one.
function positionsOf(right: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  right.forEach((line, i) => {
    const known = positions.get(line);
    if (known) known.push(i);
    else positions.set(line, [i]);
  });
  if (right.length < 200) return positions;
  const limit = Math.floor(right.length / 100) + 1;
  for (const [line, list] of positions) if (list.length > limit) positions.delete(line);
  return positions;
}

function matchingBlocks(left: readonly string[], right: readonly string[]): Block[] {
  const positions = positionsOf(right);
  const blocks: Block[] = [];
  const search = (a1: number, a2: number, b1: number, b2: number): void => {
    const match = longestMatch(left, right, positions, a1, a2, b1, b2);
    if (match.size === 0) return;
    if (a1 < match.a && b1 < match.b) search(a1, match.a, b1, match.b);
    blocks.push(match);
    if (match.a + match.size < a2 && match.b + match.size < b2) search(match.a + match.size, a2, match.b + match.size, b2);
  };
  search(0, left.length, 0, right.length);
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last && last.a + last.size === block.a && last.b + last.size === block.b)
      joined[joined.length - 1] = { a: last.a, b: last.b, size: last.size + block.size };
    else joined.push(block);
  }
  return [...joined, { a: left.length, b: right.length, size: 0 }];
}

function longestMatch(
  left: readonly string[],
  right: readonly string[],
  positions: ReadonlyMap<string, number[]>,
  a1: number,
  a2: number,
  b1: number,
  b2: number,
): Block {
  let a = a1;
  let b = b1;
  let size = 0;
  let lengths = new Map<number, number>();
  for (let i = a1; i < a2; i++) {
    const next = new Map<number, number>();
    for (const j of positions.get(left[i]!) ?? []) {
      if (j < b1) continue;
      if (j >= b2) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [a, b, size] = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  }
  while (a > a1 && b > b1 && left[a - 1] === right[b - 1]) [a, b, size] = [a - 1, b - 1, size + 1];
  while (a + size < a2 && b + size < b2 && left[a + size] === right[b + size]) size++;
  return { a, b, size };
}

function grouped(all: readonly Edit[]): Edit[][] {
  const list = [...all];
  const first = list[0];
  if (!first) return [];
  if (first.tag === 'equal') list[0] = { ...first, a1: Math.max(first.a1, first.a2 - context), b1: Math.max(first.b1, first.b2 - context) };
  const last = list.at(-1)!;
  if (last.tag === 'equal')
    list[list.length - 1] = { ...last, a2: Math.min(last.a2, last.a1 + context), b2: Math.min(last.b2, last.b1 + context) };
  const groups: Edit[][] = [];
  let group: Edit[] = [];
  for (const edit of list) {
    let { a1, b1 } = edit;
    if (edit.tag === 'equal' && edit.a2 - a1 > 2 * context) {
      group.push({ ...edit, a2: Math.min(edit.a2, a1 + context), b2: Math.min(edit.b2, b1 + context) });
      groups.push(group);
      group = [];
      a1 = Math.max(a1, edit.a2 - context);
      b1 = Math.max(b1, edit.b2 - context);
    }
    group.push({ ...edit, a1, b1 });
  }
  if (group.length > 1 || (group.length === 1 && group[0]!.tag !== 'equal')) groups.push(group);
  return groups;
}
