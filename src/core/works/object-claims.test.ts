import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ObjectClaims } from './object-claims.ts';

const works = ['a', 'b', 'c'];
const objects = ['x', 'y', 'z'];
const change = fc.record({ work: fc.constantFrom(...works), wants: fc.option(fc.subarray(objects), { nil: undefined }) });

test('knows who wants what, and tells all whom a change concerns', () => {
  fc.assert(
    fc.property(fc.array(change), changes => {
      const claims = new ObjectClaims();
      const model = new Map<string, Set<string>>();
      for (const { work, wants } of changes) {
        const before = model.get(work) ?? new Set();
        const after = new Set(wants);
        const differs = objects.filter(object => before.has(object) !== after.has(object));
        const concerned = works.filter(other => other !== work && differs.some(object => model.get(other)?.has(object)));
        assert.deepEqual([...claims.set(work, wants && new Set(wants))].sort(), concerned);
        model.set(work, after);
        for (const object of objects)
          assert.deepEqual(
            [...claims.claimants(object)].sort(),
            works.filter(one => model.get(one)?.has(object)),
          );
        for (const one of works) {
          const rivals = works.filter(
            other => other !== one && objects.some(object => model.get(one)?.has(object) && model.get(other)?.has(object)),
          );
          assert.deepEqual([...claims.rivals(one)].sort(), rivals);
        }
      }
    }),
  );
});
