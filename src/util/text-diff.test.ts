import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unifiedDiff } from './text-diff.ts';

const names = { from: 'a', to: 'b' };
const diff = (before: string, after: string) => unifiedDiff(before, after, names);
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('');

test('equal texts have no difference', () => {
  assert.equal(diff('', ''), '');
  assert.equal(diff('a\nb', 'a\nb'), '');
});

test('a change is shown with three lines around it', () => {
  assert.equal(
    diff(numbers(1, 9), numbers(1, 9).replace('5', 'five')),
    '--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
  );
});

test('what comes or goes as a whole begins at line 0', () => {
  assert.equal(diff('', 'x\ny\n'), '--- a\n+++ b\n@@ -0,0 +1,2 @@\n+x\n+y\n');
  assert.equal(diff('x\n', ''), '--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n');
});

test('changes that are near each other are one hunk, others are not', () => {
  const hunks = (gap: number) => {
    const text = numbers(1, 30);
    const changed = text.replace('\n10\n', '\nten\n').replace(`\n${10 + gap}\n`, '\nother\n');
    return diff(text, changed).match(/^@@/gm)!.length;
  };
  assert.deepEqual([1, 6, 7, 8].map(hunks), [1, 1, 1, 2]);
});

test('a missing end of the last line is told', () => {
  assert.equal(diff('x', 'x\n'), '--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n');
});

test('texts without anything in common are replaced', () => {
  const [old, young] = [numbers(1, 3000), numbers(5001, 8000)];
  const shown = diff(old, young).split('\n');
  assert.equal(shown.filter(line => /^-\d/.test(line)).length, 3000);
  assert.equal(shown.filter(line => /^\+\d/.test(line)).length, 3000);
});

/** What `patch` does. */
function patched(before: string, patch: string): string {
  const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let at = 0;
  for (const hunk of patch.split(/^@@ /m).slice(1)) {
    const [, start, length = '1'] = /^-(\d+)(?:,(\d+))?/.exec(hunk)!;
    const first = Number(length) === 0 ? Number(start) : Number(start) - 1;
    result.push(...lines.slice(at, first));
    at = first;
    const body = hunk.slice(hunk.indexOf('\n') + 1).replaceAll('\n\\ No newline at end of file\n', '\u0000');
    for (const [, kind, text] of body.matchAll(/([-+ ])([^\n\u0000]*(?:\n|\u0000))/g)) {
      const line = text!.replace('\u0000', '');
      if (kind !== '+') assert.equal(lines[at++], line);
      if (kind !== '-') result.push(line);
    }
  }
  return [...result, ...lines.slice(at)].join('');
}

const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', '--- x\n', 'd'), { maxLength: 40 }).map(lines => lines.join(''));

test('a text with its difference to another becomes the other, by the fewest lines', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const patch = diff(before, after);
      assert.equal(patched(before, patch), after);
      const changes = patch
        .split('\n')
        .slice(2)
        .filter(line => /^[-+]/.test(line)).length;
      assert.equal(changes, fewestChanges(before.match(/[^\n]*\n|[^\n]+$/g) ?? [], after.match(/[^\n]*\n|[^\n]+$/g) ?? []));
    }),
    { numRuns: 500 },
  );
});

function fewestChanges(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(a[i - 1] === b[j - 1] ? row[j - 1]! : 1 + Math.min(row[j]!, next[j - 1]!));
    row = next;
  }
  return row[b.length]!;
}
