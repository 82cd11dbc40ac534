import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { oneSpan, spansOf } from './spans.ts';

test('a moment is in a stretch exactly when one began less than its length ago', () => {
  const starts = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 12 }).map(values => values.toSorted((a, b) => a - b));
  fc.assert(
    fc.property(starts, fc.integer({ min: 1, max: 40 }), (moments, length) => {
      const spans = spansOf(after => moments.find(ms => ms > after), length);
      const isIn = (ms: number) => moments.some(start => ms >= start && ms < start + length);
      for (let ms = -5; ms < 250; ms++) {
        const span = spans.at(ms);
        assert.equal(span !== undefined, isIn(ms));
        if (!span) continue;
        assert.ok(!isIn(span.endMs));
        for (let inside = ms; inside < span.endMs; inside++) assert.ok(isIn(inside));
      }
    }),
    { numRuns: 100 },
  );
});

test('a single stretch has no successor', () => {
  const span = oneSpan({ startMs: 10, endMs: 20 });
  assert.deepEqual([span.at(9), span.at(10), span.at(20)], [undefined, { startMs: 10, endMs: 20 }, undefined]);
  assert.deepEqual([span.nextStart(9), span.nextStart(10)], [10, undefined]);
});
