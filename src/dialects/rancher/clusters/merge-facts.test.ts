import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changeOf, mergeFacts } from './merge-facts.ts';

const facts = fc.dictionary(fc.constantFrom('env', 'zone', 'tier', '__proto__'), fc.constantFrom('', 'a', 'b', 'c'), { maxKeys: 4 });
const version = fc.integer({ min: 1, max: 2_000 }).map(String);
const side = fc.record({ facts, version });

test('what one side changed holds for all', () => {
  fc.assert(
    fc.property(facts, facts, version, version, (base, changed, one, other) => {
      const merged = mergeFacts(base, [
        { facts: changed, version: one },
        { facts: base, version: other },
      ]);
      assert.deepEqual(Object.entries(merged).sort(), Object.entries(changed).sort());
    }),
  );
});

test('of two changes of the same label the later one wins', () => {
  const sides = [
    { facts: { env: 'old' }, version: '99' },
    { facts: { env: 'new' }, version: '100' },
  ];
  assert.deepEqual(mergeFacts({ env: 'first' }, sides), { env: 'new' });
  assert.deepEqual(mergeFacts({ env: 'first' }, sides.toReversed()), { env: 'new' });
});

test('sides that have agreed stay as they are', () => {
  fc.assert(
    fc.property(facts, fc.array(side, { minLength: 1, maxLength: 3 }), (base, sides) => {
      const agreed = mergeFacts(base, sides);
      const again = mergeFacts(
        agreed,
        sides.map(({ version }) => ({ facts: agreed, version })),
      );
      assert.deepEqual(again, agreed);
      assert.equal(changeOf(agreed, again), undefined);
    }),
  );
});

test('a change leads from one set of facts to the other', () => {
  fc.assert(
    fc.property(facts, facts, (present, wanted) => {
      const patched = new Map<string, string>(Object.entries(present));
      for (const [name, value] of Object.entries(changeOf(present, wanted) ?? {})) {
        if (value === null) patched.delete(name);
        else patched.set(name, value);
      }
      assert.deepEqual([...patched].sort(), Object.entries(wanted).sort());
    }),
  );
});
