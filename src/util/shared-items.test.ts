import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sharedItems } from './shared-items.ts';

test('items stay known when others come, go or are replaced', () => {
  const old = Array.from({ length: 100 }, (_, i) => ({ i }));
  const list = [{ i: -1 }, ...old.slice(0, 20), { i: 20 }, ...old.slice(21, 50), ...old.slice(55)];
  const isShared = sharedItems(old);
  assert.deepEqual(
    list.flatMap((item, at) => (isShared(item) ? [] : [at])),
    [0, 21],
  );
});

test('nothing is called shared that is not, and all but a few of what is are found in any order', () => {
  const old = Array.from({ length: 60 }, (_, i) => ({ i }));
  const item = fc.oneof(
    fc.nat(59).map(i => old[i]!),
    fc.nat(59).map(i => ({ i })),
  );
  fc.assert(
    fc.property(fc.array(item, { maxLength: 80 }), list => {
      const isShared = sharedItems(old);
      const found = list.filter(isShared);
      const shared = list.filter(one => old.includes(one));
      assert.ok(found.every(one => shared.includes(one)));
      assert.ok(shared.length - found.length <= 8);
    }),
  );
});
