import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unifiedDiff } from './unified-diff.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { minLength: 1, maxLength: 40 });

/** Applies a diff the way patch does. */
function apply(lines: string[], diff: string): string[] {
  const result: string[] = [];
  let position = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (hunk) {
      const start = hunk[2] === '0' ? Number(hunk[1]) : Number(hunk[1]) - 1;
      while (position < start) result.push(lines[position++]!);
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else {
      assert.equal(lines[position], line.slice(1));
      if (line.startsWith(' ')) result.push(lines[position]!);
      position++;
    }
  }
  return [...result, ...lines.slice(position)];
}

test('a diff turns the first text into the second', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.deepEqual(apply(a, unifiedDiff(a.join('\n'), b.join('\n'))), b);
    }),
  );
});

test('equal texts have no diff', () => {
  fc.assert(
    fc.property(text, a => {
      assert.equal(unifiedDiff(a.join('\n'), a.join('\n')), '');
    }),
  );
});
