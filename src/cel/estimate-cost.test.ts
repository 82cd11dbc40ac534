import assert from 'node:assert/strict';
import { test } from 'node:test';
import { celTypes } from './cel-type.ts';
import { estimateCost } from './estimate-cost.ts';

const self = celTypes.object('subject', { text: celTypes.string, names: celTypes.list(celTypes.string), count: celTypes.int });
const sizes: Readonly<Record<string, number>> = { 'self.text': 100, 'self.names': 10, 'self.names.@items': 20, 'self.count': 0 };
const cost = (expression: string) =>
  estimateCost(expression, { variables: { self } }, path => {
    const max = sizes[path.join('.')];
    return max === undefined ? undefined : { min: 0, max };
  });

// The conformance cases of rule-costs compare many more with a real server.
test('what is walked through costs as much as it is long', () => {
  assert.equal(cost('true'), 0);
  assert.equal(cost('self.count > 3'), 3);
  assert.equal(cost('self.text == "abc"'), 3);
  assert.equal(cost('self.text == self.text'), 14);
  assert.equal(cost('self.text.contains("abcdefghijkl")'), 22);
});

test('loops cost their range times what one step costs', () => {
  assert.equal(cost('self.names.all(n, n == "b")'), 2 + 10 * (3 + 2) + 1);
  assert.equal(cost('self.names.all(n, self.names.exists(m, m == n))'), 2 + 10 * (3 + 2 + 10 * (4 + 4) + 1) + 1);
});

test('of two ways the dearer one counts, and what has no bound has no cost either', () => {
  assert.equal(cost('self.count > 1 ? self.text == self.text : true'), 3 + 14);
  assert.equal(cost('self.names.map(n, n + self.text).all(t, t.matches(t))') > 1000, true);
  assert.equal(
    estimateCost('self.all(x, x == x)', { variables: { self: celTypes.dyn } }, () => undefined),
    Infinity,
  );
});

test('long chains of what is counted several times are looked at once', () => {
  // Each of them doubles or trebles what is before it: looked at as often, they would never be done.
  assert.equal(cost(`self.names${'.sortBy(n, n)'.repeat(60)}.size() > 0`), Infinity);
  assert.ok(cost(`optional.of(self.count)${'.optMap(n, n + 1)'.repeat(60)}.hasValue()`) > 2 ** 60);
});
