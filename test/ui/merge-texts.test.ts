import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { isUndecided, mergeTexts } from '../../src/ui/parts/editor/merge-texts.ts';

const text = (...lines: string[]) => lines.join('\n');

test('changes in different places are both kept', () => {
  const base = text('a', 'b', 'c', 'd', 'e');
  assert.equal(mergeTexts(base, text('a', 'B', 'c', 'd', 'e'), text('a', 'b', 'c', 'd', 'E', 'f')), text('a', 'B', 'c', 'd', 'E', 'f'));
  assert.equal(mergeTexts(base, text('b', 'c', 'd', 'e'), text('a', 'b', 'c', 'd')), text('b', 'c', 'd'));
});

test('changes of the same line are shown for a person to decide', () => {
  const merged = mergeTexts(text('a', 'replicas: 2', 'c'), text('a', 'replicas: 3', 'c'), text('a', 'replicas: 5', 'c'));
  assert.equal(merged, text('a', '# <<<<<<< yours', 'replicas: 3', '# ======= what is there now', 'replicas: 5', '# >>>>>>>', 'c'));
});

test('when only one side changed, or both alike, that is the outcome', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map(some => some.join('\n'));
  fc.assert(
    fc.property(lines, lines, (base, other) => {
      assert.equal(mergeTexts(base, other, base), other);
      assert.equal(mergeTexts(base, base, other), other);
      assert.equal(mergeTexts(base, other, other), other);
    }),
  );
});

test('who has not decided yet is told from who has', () => {
  const list = (word: string) => text('args:', `- ${word}`);
  const merged = mergeTexts(list('a'), list('b'), list('c'));
  assert.deepEqual(parse(merged), { args: ['b', 'c'] }, 'it is good YAML, and not what anybody wanted');
  assert.ok(isUndecided(merged));
  assert.ok(!isUndecided(list('# <<<<<<< yours, and more')));
});

test('a text of a mebibyte is merged, also when most of it has changed', () => {
  const lines = Array.from({ length: 60_000 }, (_, i) => `  line ${i}`);
  const changed = (word: string, at: number) => lines.with(at, word).join('\n');
  const merged = mergeTexts(lines.join('\n'), changed('  mine', 30_000), changed('  theirs', 40_000)).split('\n');
  assert.equal(merged.length, lines.length);
  assert.deepEqual([merged[30_000], merged[40_000]], ['  mine', '  theirs']);
  const other = lines.map(line => `${line}!`).join('\n');
  assert.equal(mergeTexts(lines.join('\n'), other, lines.join('\n')), other);
});
