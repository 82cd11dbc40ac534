import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mergeTexts } from '../../src/ui/parts/editor/merge-texts.ts';

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
