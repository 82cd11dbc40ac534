import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PodAddresses } from './pod-addresses.ts';

test('an address has one owner at a time, whoever comes and goes', () => {
  const steps = fc.array(
    fc.record({ owner: fc.nat(20).map(String), cidr: fc.constantFrom('10.0.0.0/28', '10.0.1.0/29'), gives: fc.boolean() }),
  );
  fc.assert(
    fc.property(steps, list => {
      const addresses = new PodAddresses();
      const owned = new Map<string, string>();
      for (const { owner, cidr, gives } of list) {
        if (gives) {
          addresses.give(owner);
          owned.delete(owner);
          continue;
        }
        const taken = addresses.take(owner, cidr);
        if (taken === undefined) continue;
        assert.equal(owned.get(owner) ?? taken, taken);
        owned.set(owner, taken);
        assert.equal(new Set(owned.values()).size, owned.size);
      }
    }),
  );
});

test('a range that is used up gives nothing more, until somebody gives back', () => {
  const addresses = new PodAddresses();
  const taken = Array.from({ length: 5 }, (_, i) => addresses.take(String(i), '10.0.0.0/29'));
  assert.deepEqual(taken, ['10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6']);
  assert.equal(addresses.take('more', '10.0.0.0/29'), undefined);
  addresses.give('1');
  assert.equal(addresses.take('more', '10.0.0.0/29'), '10.0.0.3');
});

test('an address that somebody has already is not given to another', () => {
  const addresses = new PodAddresses();
  addresses.keep('old', '10.0.0.0/24', '10.0.0.2');
  assert.equal(addresses.take('new', '10.0.0.0/24'), '10.0.0.3');
  assert.equal(addresses.take('old', '10.0.0.0/24'), '10.0.0.2');
});
